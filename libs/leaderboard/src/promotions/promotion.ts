import type { LoopView } from '@assay/contracts/boards';
import { newId } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

export type PromotionEvidence = LoopView['models'][number]['evidence'];

/** Orders models of the loop by the rank that they were chosen for; those without a rank come last. */
export const byRank = (
  a: { readonly evidence: PromotionEvidence },
  b: { readonly evidence: PromotionEvidence },
): number => (a.evidence.rank ?? Number.MAX_SAFE_INTEGER) - (b.evidence.rank ?? Number.MAX_SAFE_INTEGER);

const PromotionSchema = defineEntity({
  name: 'Promotion',
  indexes: [{ properties: ['task', 'until'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task),
    model: () => p.manyToOne(Model),
    evidence: p.json<PromotionEvidence>(),
    since: p.datetime(),
    /** Null while the model is in the loop. */
    until: p.datetime().nullable(),
  },
});

/** Records that a model was in the loop, when, and on which evidence. */
export class Promotion extends PromotionSchema.class {}
PromotionSchema.setClass(Promotion);
