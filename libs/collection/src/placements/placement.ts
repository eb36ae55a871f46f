import type { Failure, PlacementProgress, PlacementState } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { Model, RunSpecification } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

/** The channel on which a change of a placement rings; the payload is its id. */
export const PLACEMENT_CHANNEL = 'assay_placement';

const PlacementSchema = defineEntity({
  name: 'Placement',
  indexes: [
    { properties: ['model', 'createdAt'] },
    {
      name: 'placement_live',
      expression:
        `create unique index "placement_live" on "placement" ("task_id", "model_id", "copy") ` +
        `where "state" in ('wanted', 'starting', 'ready')`,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    model: () => p.manyToOne(Model).deleteRule('cascade'),
    specification: () => p.manyToOne(RunSpecification),
    /** Of the placements of a model at the same time, from 1; each is on another evaluator. */
    copy: p.integer().default(1),
    state: p.string().length(10).$type<PlacementState>(),
    /** Who serves it. */
    evaluator: p.string().length(100).nullable(),
    /** Of the evaluator's internal server, like `http://10.0.0.7:40123`; null until it is ready. */
    address: p.string().length(300).nullable(),
    /** What a caller has to show there; another with every claim. */
    secret: p.string().length(64).nullable(),
    /** Counts the claims: whoever holds an older one changes nothing any more. */
    fence: p.integer().default(0),
    /** Time of the database. */
    leaseUntil: p.datetime().nullable(),
    progress: p.json<PlacementProgress>().nullable(),
    /** Why it was given up; of one that is started again, why. */
    failure: p.json<Failure>().nullable(),
    /** Starts and services in a row that the model has ended. */
    attempts: p.integer().default(0),
    /** Something is measured on its host: answers wait. */
    paused: p.boolean().default(false),
    /** Not to be taken before. */
    dueAt: p.datetime().defaultRaw('now()'),
    createdAt: p.datetime().defaultRaw('now()'),
    readyAt: p.datetime().nullable(),
    /** When it was stopped or given up. */
    endedAt: p.datetime().nullable(),
  },
});

/** A model in the loop being served by an evaluator. Its truth is this row; the queue only rings. */
export class Placement extends PlacementSchema.class {}
PlacementSchema.setClass(Placement);
