import type { LoopView } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

/** Why a model is, or was, in the loop of a round. */
export type RoundModelReason = 'policy' | 'named' | 'replacement';

const RoundModelSchema = defineEntity({
  name: 'RoundModel',
  indexes: [{ properties: ['round', 'until'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    model: () => p.manyToOne(Model),
    reason: p.string().length(12).$type<RoundModelReason>(),
    /** Of the policy that chose it; null where its owner named it. */
    evidence: p.json<LoopView['models'][number]['evidence']>().nullable(),
    since: p.datetime(),
    /** Null: people write against it now. */
    until: p.datetime().nullable(),
    /** Why it left: in words, for people. */
    left: p.string().length(300).nullable(),
  },
});

/** That a model was in the loop of a round, from when to when, and why. */
export class RoundModel extends RoundModelSchema.class {}
RoundModelSchema.setClass(RoundModel);
