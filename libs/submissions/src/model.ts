import type { Failure, ModelKind, ModelState, Protocol } from '@assay/contracts';
import { MODEL_STATES } from '@assay/contracts';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RunSpecification } from './run-specification.js';

const ModelSchema = defineEntity({
  name: 'Model',
  indexes: [{ properties: ['task', 'state'] }, { properties: ['specification'] }, { properties: ['owner'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task),
    owner: () => p.manyToOne(User),
    name: p.string().length(120),
    kind: p.string().length(12).$type<ModelKind>(),
    description: p.text(),
    card: p.text(),
    trainedOn: p.json<readonly string[]>(),
    protocol: p.string().length(20).$type<Protocol>(),
    command: p.json<readonly string[]>().nullable(),
    /** Null until its artifact has arrived. */
    specification: () => p.manyToOne(RunSpecification).nullable(),
    state: p.enum(MODEL_STATES).default('awaiting-artifact').$type<ModelState>(),
    failure: p.json<Failure>().nullable(),
    published: p.boolean(),
    withdrawn: p.boolean().default(false),
    /** False where its owner keeps it out of the loop. */
    inLoop: p.boolean().default(true),
    createdAt: p.datetime().onCreate(() => new Date()),
    /** When its artifact was accepted; quota and exposure count from here. */
    acceptedAt: p.datetime().nullable(),
    /** When its first score came. Null: it never had one, and is private if it failed. */
    firstScoredAt: p.datetime().nullable(),
  },
});

/** What a builder submits. */
export class Model extends ModelSchema.class {}
ModelSchema.setClass(Model);

/** Ids of the accounts that have submitted a specification. */
export async function ownersOf(em: EntityManager, specification: string): Promise<string[]> {
  const models = await em.find(Model, { specification }, { fields: ['owner'] });
  return [...new Set(models.map(({ owner }) => owner.id))].sort();
}
