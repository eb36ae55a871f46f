import type { LoopView } from '@assay/contracts/boards';
import { newId } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

/** The reason for which a model is, or was, in the loop of a round. */
export type RoundModelReason = 'policy' | 'named' | 'replacement';

const RoundModelSchema = defineEntity({
  name: 'RoundModel',
  indexes: [{ properties: ['round', 'until'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    model: () => p.manyToOne(Model),
    reason: p.string().length(12).$type<RoundModelReason>(),
    /** The evidence of the policy that chose it; null if a person named it. */
    evidence: p.json<LoopView['models'][number]['evidence']>().nullable(),
    since: p.datetime(),
    /** Null while people write against it. */
    until: p.datetime().nullable(),
    /** The reason why it left, as a sentence for people. */
    left: p.string().length(300).nullable(),
  },
});

/** A period in which a model was in the loop of a round, with the reason. */
export class RoundModel extends RoundModelSchema.class {}
RoundModelSchema.setClass(RoundModel);
