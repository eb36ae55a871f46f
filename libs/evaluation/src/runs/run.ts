import type { Origin } from '@assay/contracts';
import { type Failure, ModelKind } from '@assay/contracts/models';
import { User } from '@assay/identity';
import { newId, type TransitionTable } from '@assay/kernel';
import { RunSpecification } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

/**
 * The legal transitions of a run. An expired lease may be claimed again (`leased` to `leased`) or
 * returned to the queue.
 */
export const RUN_TRANSITIONS = {
  queued: ['leased', 'failed', 'cancelled'],
  leased: ['queued', 'leased', 'done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
} as const satisfies TransitionTable<RunState>;

export type RunState = 'queued' | 'leased' | 'done' | 'failed' | 'cancelled';
export const RUN_STATES = ['queued', 'leased', 'done', 'failed', 'cancelled'] as const satisfies readonly RunState[];
/** The cells that one run fills: those of one specification on the datasets of one task. */
export interface RunScope {
  readonly specification: string;
  readonly task: string;
}

/** The states of a run that is still to do something. */
export const LIVE_RUN_STATES = ['queued', 'leased'] as const satisfies readonly RunState[];

export const RUN_STAGES = ['admission', 'evaluation'] as const;
export type RunStage = (typeof RUN_STAGES)[number];

/**
 * `evaluation` fills missing cells. `measures` repeats only the measurement of the costs of a
 * scored model.
 */
const RUN_PURPOSES = ['evaluation', 'measures'] as const;
export type RunPurpose = (typeof RUN_PURPOSES)[number];

/**
 * The classes of the queue, in their order: evaluations, then measurements that a user has requested, then those
 * that the service requests itself. A measurement is `weighed` if the board of the task weighs or bounds throughput
 * or a latency; of those that the service requests, only the first one of a model is.
 */
export const RUN_PRIORITY = {
  evaluation: 0,
  requestedWeighed: 1,
  requested: 2,
  automaticWeighed: 3,
  automatic: 4,
} as const;
export type RunPriority = (typeof RUN_PRIORITY)[keyof typeof RUN_PRIORITY];

/** Returns whether the service has requested a run by itself, and no user. */
export const isAutomatic = (priority: RunPriority): boolean => priority >= RUN_PRIORITY.automaticWeighed;

/** Returns whether evaluations wait for the measurement once it has waited long enough. */
export const mayDrain = (priority: RunPriority): boolean => DRAINING.includes(priority);
/** The classes of measurements that evaluations wait for. */
export const DRAINING: readonly RunPriority[] = [RUN_PRIORITY.requestedWeighed, RUN_PRIORITY.automaticWeighed];

/** The seconds that a run of unknown duration is taken to need. */
export const UNKNOWN_SECONDS = 60;

/** SQL for the class of the expected duration of a run: runs of one class differ by less than a factor of two. */
export const DURATION_CLASS = `(floor(ln(coalesce(expected_seconds, ${UNKNOWN_SECONDS})) / ln(2))::int)`;

export const RunSchema = defineEntity({
  name: 'Run',
  indexes: [
    { properties: ['state', 'leaseUntil'] },
    { properties: ['specification', 'task'] },
    {
      // the first run of an owner and a task: see firstRunnable
      name: 'run_queued',
      expression: `create index "run_queued" on "run" ("stage", "priority", "owner_id", "task_id", ${DURATION_CLASS}, "id") where "state" = 'queued' and "kind" <> 'predictions'`,
    },
    { name: 'run_finished', properties: ['finishedAt'] },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    specification: () => p.manyToOne(RunSpecification),
    task: () => p.manyToOne(Task),
    /**
     * The user whose share of the evaluators it uses: of models that share the run, the owner of the
     * oldest one that is neither cancelled nor withdrawn.
     */
    owner: () => p.manyToOne(User),
    /**
     * The `admission` stage checks the artifact and needs no quiet host. The `evaluation` stage
     * then fills the cells.
     */
    stage: p.enum(RUN_STAGES),
    /** The kind of the artifact, which decides which process executes the run. */
    kind: p.enum(ModelKind.options).default('container').$type<ModelKind>(),
    purpose: p.enum(RUN_PURPOSES).default('evaluation').$type<RunPurpose>(),
    state: p.enum(RUN_STATES).default('queued').$type<RunState>(),
    /**
     * Counts the claims of this run. Every write carries it, and a write with an older fence
     * changes no row.
     */
    fence: p.integer().default(0),
    /** A queued run is not leased before. Null: at once. */
    notBefore: p.datetime().nullable(),
    leaseUntil: p.datetime().nullable(),
    /** The name of the evaluator that holds the lease. */
    leaseOwner: p.string().length(100).nullable(),
    /** The start of the lease. */
    leasedAt: p.datetime().nullable(),
    /** Seconds of the last lease for the admission stage that has ended. */
    admissionSeconds: p.double().$type<number>().nullable(),
    /** Seconds of the last lease for the evaluation stage that has ended. */
    evaluationSeconds: p.double().$type<number>().nullable(),
    /** Seconds that the evaluation stage is expected to take, at least 1. Null: nothing was known. */
    expectedSeconds: p.integer().nullable(),
    /** Attempts of this stage that failed because of the platform. */
    attempts: p.integer().default(0),
    /** Its class in the queue, known since it was requested. */
    priority: p.smallint().default(RUN_PRIORITY.evaluation).$type<RunPriority>(),
    /** How often a live request on the host has interrupted its measurement. */
    interruptions: p.integer().default(0),
    /**
     * The run fails with `deadline_passed` if it has not ended by then. Each claim sets it again.
     */
    deadline: p.datetime(),
    failure: p.json<Failure>().nullable(),
    /** The end of the log of the model, except for sandboxes with hidden data. */
    log: p.text().nullable(),
    /** IDs of the dataset versions that the sandbox had seen when it wrote the log. */
    logSeen: p.json<readonly string[]>().nullable(),
    /**
     * Size in bytes of the log of the sandbox with hidden data. Nothing else of that log is stored.
     */
    withheldBytes: p.integer().nullable(),
    /** The request or job that caused the run. Every job for the run carries it on. */
    origin: p.json<Origin>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
  },
});

/**
 * Evaluator work for one run specification on one task: it fills all missing evaluations, or only
 * measures costs. It has a lease and a fence.
 */
export class Run extends RunSchema.class {}
RunSchema.setClass(Run);

/**
 * The channel that notifies workers to check a run, because it was cancelled or because the
 * reconciler failed it. The payload is the run ID.
 */
export const RUN_CHANNEL = 'assay_run';

/** The channel that notifies the API that a run is queued. The payload is its stage. */
export const RUN_QUEUED_CHANNEL = 'assay_run_queued';
