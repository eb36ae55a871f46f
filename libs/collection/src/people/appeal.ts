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

/** That an author does not agree with the fate of an annotation. It is answered by the owner's next decision of the annotation. */
export class Appeal extends AppealSchema.class {
  /** When the owner answered; null: not yet. */
  answeredAt(): Date | null {
    const { decidedByOwner, decidedAt } = this.annotation;
    return decidedByOwner && decidedAt && decidedAt > this.createdAt ? decidedAt : null;
  }
}
AppealSchema.setClass(Appeal);
