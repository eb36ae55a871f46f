import type { CrowdPay, CrowdPlatform, CrowdSessionState, Onboarding } from '@assay/contracts/rounds';
import { User } from '@assay/identity';
import { assertTransition, newId, type TransitionTable } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const CrowdLinkSchema = defineEntity({
  name: 'CrowdLink',
  indexes: [{ properties: ['round'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    platform: p.string().length(10).$type<CrowdPlatform>(),
    /** The number of examples that complete an assignment. */
    examples: p.integer(),
    pay: p.json<CrowdPay>(),
    onboarding: p.json<Onboarding>().nullable(),
    /** The completion code of the study on Prolific. */
    completionCode: p.string().length(64).nullable(),
    /** Origins that may embed the page in a frame. */
    frameAncestors: p.json<readonly string[]>(),
    /** Origins to which finished work may be submitted. */
    submitTo: p.json<readonly string[]>(),
    expiresAt: p.datetime(),
    closedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A link by which workers of a crowd platform take part in a round without an account. */
export class CrowdLink extends CrowdLinkSchema.class {}
CrowdLinkSchema.setClass(CrowdLink);

/**
 * The legal transitions of a crowd session. Each may be finished early, and ends when the worker
 * starts another one.
 */
export const CROWD_SESSION_TRANSITIONS = {
  onboarding: ['working', 'failed', 'ended', 'finished'],
  working: ['ended', 'finished'],
  failed: ['ended', 'finished'],
  ended: ['finished'],
  finished: [],
} as const satisfies TransitionTable<CrowdSessionState>;

const CrowdSessionSchema = defineEntity({
  name: 'CrowdSession',
  uniques: [{ properties: ['platform', 'assignment'] }],
  indexes: [{ properties: ['link'] }, { properties: ['user'] }, { properties: ['credential'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    link: () => p.manyToOne(CrowdLink).deleteRule('cascade'),
    /** The account of the worker: the same in all their sessions of a task. */
    user: () => p.manyToOne(User),
    platform: p.string().length(10).$type<CrowdPlatform>(),
    /**
     * The platform's own IDs. They are never exported: only the owner of the task can read them,
     * for payment.
     */
    worker: p.string().length(100),
    assignment: p.string().length(100),
    hit: p.string().length(100).nullable(),
    /**
     * SHA-256 of the secret of the browser that started it. Null if it was started before secrets
     * existed and not continued since.
     */
    secretHash: p.string().length(64).nullable(),
    /** The origin to which finished work is submitted; null on Prolific. */
    submitTo: p.string().length(500).nullable(),
    /** The ID of the credential whose token currently authenticates the session. */
    credential: p.uuid().nullable(),
    state: p.string().length(10).$type<CrowdSessionState>(),
    /** True if the test was passed, or there is none. */
    hasPassed: p.boolean(),
    /** The number of attempts at the onboarding test. */
    attempts: p.integer().default(0),
    /** Examples written before this time count; null: the session continues. */
    endedAt: p.datetime().nullable(),
    early: p.boolean().default(false),
    /** The amount due, in the currency of the link; null until the session is finished. */
    paid: p.double().$type<number>().nullable(),
    /** The number of examples, set when the session is finished. */
    examples: p.integer().nullable(),
    /** The completion code, which proves the work to the platform. */
    code: p.string().length(64).nullable(),
    finishedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A worker's assignment: what they write in it counts, and is paid, once. */
export class CrowdSession extends CrowdSessionSchema.class {
  /** Moves the session, which is locked, to `state`. */
  become(state: CrowdSessionState): void {
    assertTransition<CrowdSessionState>(CROWD_SESSION_TRANSITIONS, this.state, state);
    this.state = state;
  }
}
CrowdSessionSchema.setClass(CrowdSession);
