import type { EntityManager } from '@mikro-orm/postgresql';
import type { Model } from '../model.js';
import { RunSpecification, specificationKey } from '../run-specification.js';

/** The specification of a model alone, and the shared one that it replaced. */
export interface OwnSpecification {
  readonly specification: RunSpecification;
  /** Null if the model had its own already. */
  readonly replaced: RunSpecification | null;
}

/**
 * Gives `model` a specification that no other model has, even one with the same artifact: a file
 * that its owner adds must not change the results of others. The caller has locked the model, and
 * copies the evaluations of the replaced specification.
 */
export async function ownSpecification(em: EntityManager, model: Model): Promise<OwnSpecification> {
  const present = await em.findOneOrFail(RunSpecification, model.specification!.id, { populate: ['artifact'] });
  if (present.content.entry === model.id) return { specification: present, replaced: null };
  const content = { ...present.content, entry: model.id };
  const specification = em.create(RunSpecification, {
    key: specificationKey(content),
    artifact: present.artifact,
    content,
  });
  model.specification = specification;
  await em.flush();
  return { specification, replaced: present };
}
