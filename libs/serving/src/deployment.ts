import type { Failure } from '@assay/contracts/models';
import type { DeploymentProgress, DeploymentState, DeploymentStep } from '@assay/contracts/serving';
import { newId, type TransitionTable } from '@assay/kernel';
import { Model, RunSpecification } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

/** The PostgreSQL notification channel for changes of deployments. The payload is the ID. */
export const DEPLOYMENT_CHANNEL = 'assay_placement';

/**
 * The legal transitions of a deployment. An expired lease may be claimed again (`starting`) or
 * returned to the queue (`wanted`).
 */
export const DEPLOYMENT_TRANSITIONS = {
  wanted: ['starting', 'stopped'],
  starting: ['wanted', 'starting', 'ready', 'stopped', 'failed'],
  ready: ['wanted', 'starting', 'stopped', 'failed'],
  stopped: [],
  failed: [],
} as const satisfies TransitionTable<DeploymentState>;

/** The states of a deployment that an evaluator holds. */
export const LEASED_DEPLOYMENT_STATES = ['starting', 'ready'] as const satisfies readonly DeploymentState[];

export const DeploymentSchema = defineEntity({
  name: 'Deployment',
  tableName: 'placement',
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
    /**
     * Number among the simultaneous deployments of a model, from 1. Each is on a different
     * evaluator.
     */
    copy: p.integer().default(1),
    state: p.string().length(10).$type<DeploymentState>(),
    /** The name of the evaluator that serves it, as in the leases of runs. */
    evaluator: p.string().length(100).nullable(),
    /** Fencing counter, increased with every claim: writes under an older claim change nothing. */
    fence: p.integer().default(0),
    /** Time of the database. */
    leaseUntil: p.datetime().nullable(),
    progress: p.json<DeploymentProgress>().nullable(),
    /** The failure for which it was given up or is being started again. */
    failure: p.json<Failure>().nullable(),
    /** The number of consecutive failures of the model. */
    attempts: p.integer().default(0),
    /** True while a measurement on its host delays its answers. */
    paused: p.boolean().default(false),
    /** Not to be claimed before this time. */
    dueAt: p.datetime().defaultRaw('now()'),
    /** When people last asked the model while it could not answer, to within ten seconds. */
    askedAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    readyAt: p.datetime().nullable(),
    /** When it was stopped or given up. */
    endedAt: p.datetime().nullable(),
  },
});

/**
 * A deployment: a target model served by an evaluator. This row is authoritative; queue jobs only
 * say that it should be looked up.
 */
export class Deployment extends DeploymentSchema.class {}
DeploymentSchema.setClass(Deployment);

const WORDS: Readonly<Record<DeploymentStep, string>> = {
  evaluator: 'The model waits for an evaluator that can serve it.',
  image: 'The model is being copied to the host that will serve it.',
  measurement: 'The model waits until a measurement on its host has ended.',
  start: 'The model is starting.',
  again: 'The model stopped and is being restarted.',
};

/** Returns the progress of a deployment, with a message for people. */
export const deploymentProgress = (step: DeploymentStep, since: Date, message = WORDS[step]): DeploymentProgress => ({
  step,
  since: since.toISOString(),
  message,
});
