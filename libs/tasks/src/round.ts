import type { ClosingStep, RoundCondition, RoundState, SplitShares, TurningRule } from '@assay/contracts/collection';
import type { AuditRecord } from '@assay/identity/audit';
import { assertTransition, newId, type TransitionTable } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Task } from './task.js';

/**
 * The settings of a round, decided when it is opened; they include the task's own rules at that
 * time. The turning rule can be changed later.
 */
export interface RoundSettings {
  readonly turn: TurningRule;
  readonly conditions: readonly RoundCondition[];
  readonly shares: SplitShares;
}

/**
 * The legal transitions of a round. A round closes in steps; it is `closed` after the last one. An
 * imported round begins as `closed`.
 */
export const ROUND_TRANSITIONS = {
  open: ['closing'],
  closing: ['closed'],
  closed: [],
} as const satisfies TransitionTable<RoundState>;

export const RoundSchema = defineEntity({
  name: 'Round',
  uniques: [{ properties: ['task', 'number'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    number: p.integer(),
    state: p.string().length(10).$type<RoundState>(),
    imported: p.boolean(),
    description: p.text().default(''),
    /** Null for an imported round, until its turning rule is changed. */
    settings: p.json<RoundSettings>().nullable(),
    openedAt: p.datetime().nullable(),
    closedAt: p.datetime().nullable(),
    /** The reason for closing: the owner, or the finding of the turning rule. */
    closedBy: p.string().length(200).nullable(),
    /** The next step of the closing. Null while the round is open, and once all steps are done. */
    closingStep: p.string().length(10).$type<ClosingStep>().nullable(),
    /**
     * The time until which a closing round waits for pending validations. Null: it does not wait.
     */
    pendingUntil: p.datetime().nullable(),
    /**
     * The benchmark version that its datasets were released with. Null until then, and if no
     * example was validated.
     */
    benchmarkVersion: p.integer().nullable(),
    /** Bytes of the contexts and imported examples that were uploaded to the round. */
    putBytes: p.bigint('number').onCreate(() => 0),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A period in which people write examples against the target models. */
export class Round extends RoundSchema.class {
  /** Moves a round that the caller has locked to its next state. */
  advance(to: RoundState): void {
    assertTransition<RoundState>(ROUND_TRANSITIONS, this.state, to);
    this.state = to;
  }
}
RoundSchema.setClass(Round);

/** Returns the round as a subject of the audit log. */
export const auditedRound = (round: Round): AuditRecord['subject'] => ({
  kind: 'round',
  id: round.id,
  name: roundName(round),
});

/** Returns the name of a round, with the slug of its task, which is loaded. */
export const roundName = ({ task, number }: Round): string => `${task.slug} round ${number}`;
