import type { ErasedUser } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../annotating/annotation.js';
import { AnnotationRepository } from '../annotating/annotation.repository.js';
import { Validation } from '../validating/validation.js';

/** The numbers of a person's examples and validations that stay without a link to them. */
export interface UnlinkedWork {
  readonly annotations: number;
  readonly validations: number;
  /** The number of those examples that are part of a dataset. */
  readonly frozen: number;
}

/** Unlinks the examples and validations of a user, in the transaction of `em`. */
export async function unlinkWork(em: EntityManager, { id, text, at }: ErasedUser): Promise<UnlinkedWork> {
  const frozen = await em.count(Annotation, { annotator: id, split: { $ne: null } });
  if (text === 'remove') {
    await new AnnotationRepository(em).removeTexts(id, at);
    await em.nativeUpdate(Validation, { validator: id }, { reason: null, extra: {} });
  }
  // unanswered assignments become available to other validators
  await em.nativeDelete(Validation, { validator: id, label: null, verdict: null });
  const annotations = await em.nativeUpdate(Annotation, { annotator: id }, { annotator: null });
  const validations = await em.nativeUpdate(Validation, { validator: id }, { validator: null });
  return { annotations, validations, frozen };
}
