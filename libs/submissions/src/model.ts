import { type Failure, MODEL_STATES, type ModelKind, type ModelState, type Protocol } from '@assay/contracts/models';
import type { LiveDifference } from '@assay/contracts/serving';
import { User } from '@assay/identity';
import { assertTransition, newId, type TransitionTable } from '@assay/kernel';
import { Task } from '@assay/tasks';
import { defineEntity, type EntityManager, p } from '@mikro-orm/postgresql';
import { RunSpecification } from './run-specification.js';

/** The states that follow from the evaluations of a model and its live run. */
const DERIVED_STATES = ['admitting', 'queued', 'running', 'scored', 'failed', 'cancelled'] as const;

/**
 * The legal transitions of a model. While it is not cancelled, its state follows from its
 * evaluations and its live run, in any order: new data queues a scored model, and a refused
 * artifact fails a queued one. A cancelled model stays cancelled until it is run again.
 */
export const MODEL_TRANSITIONS = {
  'awaiting-artifact': DERIVED_STATES,
  admitting: DERIVED_STATES,
  queued: DERIVED_STATES,
  running: DERIVED_STATES,
  scored: DERIVED_STATES,
  failed: DERIVED_STATES,
  cancelled: ['queued'],
} as const satisfies TransitionTable<ModelState>;

export const ModelSchema = defineEntity({
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
    /** IDs of the models of the task that it descends from, as its owner declares. */
    derivedFrom: p.json<readonly string[]>().default([]),
    protocol: p.string().length(20).$type<Protocol>(),
    command: p.json<readonly string[]>().nullable(),
    /** Null until the artifact has arrived. */
    specification: () => p.manyToOne(RunSpecification).nullable(),
    state: p.enum(MODEL_STATES).default('awaiting-artifact').$type<ModelState>(),
    failure: p.json<Failure>().nullable(),
    published: p.boolean(),
    withdrawn: p.boolean().default(false),
    /** False if its owner does not want it to become a target model. */
    inLoop: p.boolean().default(true),
    /** True if evaluators of the task's owner may receive its artifact and run it. */
    allowForeignEvaluators: p.boolean().default(false),
    /**
     * Set if its answers to people in a round differed too often from those of its evaluation. Null if
     * they did not in the last round in which enough were compared, or in none.
     */
    liveDifference: p.json<LiveDifference>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    /** When its artifact was accepted. The daily quota counts from here. */
    acceptedAt: p.datetime().nullable(),
    /** When it got its first score. A model that failed without ever having a score is private. */
    firstScoredAt: p.datetime().nullable(),
  },
});

/** A submission of a builder to a task, with its card. */
export class Model extends ModelSchema.class {
  /**
   * Cancels the model, whose row is locked.
   * @throws TypeError if it has ended
   */
  cancel(): void {
    assertTransition<ModelState>(MODEL_TRANSITIONS, this.state, 'cancelled');
    this.state = 'cancelled';
    this.failure = null;
  }
}
ModelSchema.setClass(Model);

/** Returns the sorted IDs of the accounts that have submitted a specification. */
export async function ownersOf(em: EntityManager, specification: string): Promise<string[]> {
  const models = await em.find(Model, { specification }, { fields: ['owner'] });
  return [...new Set(models.map(({ owner }) => owner.id))].sort();
}
