import type { ClosingStep, RoundCondition, RoundState, SplitShares, TurningRule } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Task } from './task.js';

/** What was decided for a round when it was opened; the task's own rules at that time are in it. */
export interface RoundSettings {
  readonly turn: TurningRule;
  readonly conditions: readonly RoundCondition[];
  readonly shares: SplitShares;
}

const RoundSchema = defineEntity({
  name: 'Round',
  uniques: [{ properties: ['task', 'number'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    number: p.integer(),
    state: p.string().length(10).$type<RoundState>(),
    imported: p.boolean(),
    description: p.text().default(''),
    /** Null for a round that came as a file. */
    settings: p.json<RoundSettings>().nullable(),
    openedAt: p.datetime().nullable(),
    closedAt: p.datetime().nullable(),
    /** Why it was closed: by its owner, or what its turning rule saw. */
    closedBy: p.string().length(200).nullable(),
    /** The step of the closing that is to be done next; null while it is open, and once all is done. */
    closingStep: p.string().length(10).$type<ClosingStep>().nullable(),
    /** Until then a closing round waits for what is not validated yet; null: it does not wait. */
    pendingUntil: p.datetime().nullable(),
    /** The benchmark version that its datasets came with; null until then, and where nothing was validated. */
    benchmarkVersion: p.integer().nullable(),
    /** Bytes of the contexts and the attested examples that were put into it. */
    putBytes: p.bigint('number').onCreate(() => 0),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A period of collection against models in the loop. */
export class Round extends RoundSchema.class {}
RoundSchema.setClass(Round);
