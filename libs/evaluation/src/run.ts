import type { Failure, Origin } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { RunSpecification } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

export const RUN_STATES = ['queued', 'leased', 'done', 'failed', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const RUN_STAGES = ['admission', 'evaluation'] as const;
export type RunStage = (typeof RUN_STAGES)[number];

/** `measures`: scores are there; what it costs is measured once more. */
export const RUN_PURPOSES = ['evaluation', 'measures'] as const;
export type RunPurpose = (typeof RUN_PURPOSES)[number];

const RunSchema = defineEntity({
  name: 'Run',
  indexes: [{ properties: ['state', 'leaseUntil'] }, { properties: ['specification', 'task'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    specification: () => p.manyToOne(RunSpecification),
    task: () => p.manyToOne(Task),
    /** The artifact is admitted first, by a run stage that needs no quiet host; then the evaluations are filled. */
    stage: p.enum(RUN_STAGES),
    purpose: p.enum(RUN_PURPOSES).default('evaluation').$type<RunPurpose>(),
    state: p.enum(RUN_STATES).default('queued').$type<RunState>(),
    /** Counts claims of this run: every write carries it, and a stale writer changes no row. */
    fence: p.integer().default(0),
    leaseUntil: p.datetime().nullable(),
    /** Which evaluator process holds the lease. */
    leaseOwner: p.string().length(100).nullable(),
    /** Attempts of this stage that a platform fault ended. */
    attempts: p.integer().default(0),
    /** By when it is done, or fails with `deadline_passed`; set anew at each claim. */
    deadline: p.datetime(),
    failure: p.json<Failure>().nullable(),
    /** The end of what the model wrote, but for sandboxes that were given hidden data. */
    log: p.text().nullable(),
    /** Ids of the dataset versions that the sandbox had seen which wrote the log. */
    logSeen: p.json<readonly string[]>().nullable(),
    /** Length of the log of the sandbox that was given hidden data: all that is kept of it. */
    withheldBytes: p.integer().nullable(),
    /** What asked for it: each ring for it carries that on. */
    origin: p.json<Origin>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
  },
});

/** One sandbox session that fills all missing evaluations of a run specification; it has a lease and a fence. */
export class Run extends RunSchema.class {}
RunSchema.setClass(Run);
