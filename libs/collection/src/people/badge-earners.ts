import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../annotating/annotation.js';
import { Validation } from '../validating/validation.js';
import { awardBadges } from './badges.service.js';

/**
 * Awards badges to the author of the first example of a UTC day: only that one extends a streak.
 */
export async function awardForFirstOfDay(em: EntityManager, annotationId: string): Promise<void> {
  const [row] = await em.execute<{ annotator: string }[]>(
    `select a.annotator_id as annotator from annotation a where a.id = ? and a.annotator_id is not null and not exists (
       select 1 from annotation other where other.annotator_id = a.annotator_id and other.id < a.id and other.retracted_at is null
          and other.created_at >= date_trunc('day', a.created_at at time zone 'UTC') at time zone 'UTC')`,
    [annotationId],
  );
  if (row) await awardBadges(em, [row.annotator]);
}

/**
 * Awards badges to the author and the validators of a decided example. A validation agrees with
 * nothing before the decision.
 */
export async function awardForDecision(em: EntityManager, annotationId: string): Promise<void> {
  const annotation = await em.findOne(Annotation, annotationId);
  if (annotation && annotation.outcome !== 'pending') await awardBadges(em, await peopleOf(em, annotation));
}

async function peopleOf(em: EntityManager, annotation: Annotation): Promise<string[]> {
  const validations = await em.find(Validation, { annotation, validator: { $ne: null } });
  return [annotation.annotator, ...validations.map(({ validator }) => validator)].flatMap((user) => user?.id ?? []);
}
