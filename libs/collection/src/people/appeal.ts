import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Annotation } from '../annotating/annotation.js';

const AppealSchema = defineEntity({
  name: 'Appeal',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    annotation: () => p.manyToOne(Annotation).deleteRule('cascade').unique(),
    user: () => p.manyToOne(User),
    reason: p.string().length(2000),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/**
 * An author's objection to the decision on an annotation. The owner's next decision on it answers
 * it.
 */
export class Appeal extends AppealSchema.class {
  /** Returns when the owner answered; null: not yet. */
  answeredAt(): Date | null {
    const { decidedByOwner, decidedAt } = this.annotation;
    return decidedByOwner && decidedAt && decidedAt > this.createdAt ? decidedAt : null;
  }
}
AppealSchema.setClass(Appeal);
