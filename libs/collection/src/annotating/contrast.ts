import { DomainError, type Rng } from '@assay/kernel';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

export interface ContrastRequest {
  readonly round: Pick<Round, 'id'>;
  readonly userId: string;
  /** `true`: any example; otherwise the ID of an annotation. */
  readonly which: true | string;
}

/**
 * Returns an earlier example of the round, by any author, that the user may change so that its
 * label flips. Excludes examples that are retracted, rejected, flagged, gold checks, contrasts
 * themselves, already changed by this user, or in a context that is inactive or marked by this
 * user. Also excludes those that the user has been assigned to validate and has not answered,
 * because the user would see their label. Drawn at random from the newest 200.
 * @throws DomainError `no_contrast_left`, or `not_found` if `which` is not the ID of such an
 *   example
 */
export async function findContrast(
  em: EntityManager,
  { round, userId, which }: ContrastRequest,
  rng: Rng,
): Promise<{ readonly id: string; readonly contextId: string }> {
  const wanted = which === true ? '' : 'and a.id = ?::uuid';
  const candidates = await em.execute<{ id: string; context_id: string }[]>(
    `select a.id, a.context_id from annotation a join round_context c on c.id = a.context_id
     where a.round_id = ? and c.active and a.answered_at is not null and a.retracted_at is null and not a.is_check
       and a.contrast_to_id is null and a.outcome in ('pending', 'validated', 'undecided') and a.input <> '{}'::jsonb
       and not exists (select 1 from annotation mine where mine.contrast_to_id = a.id and mine.annotator_id = ?
                         and mine.retracted_at is null)
       and not exists (select 1 from validation v where v.annotation_id = a.id and v.validator_id = ? and v.answered_at is null)
       and not exists (select 1 from context_mark m where m.context_id = a.context_id and m.user_id = ?)
       ${wanted}
     order by a.created_at desc limit 200`,
    [round.id, userId, userId, userId, ...(which === true ? [] : [which])],
  );
  const drawn = candidates[rng.below(candidates.length)];
  if (drawn) return { id: drawn.id, contextId: drawn.context_id };
  if (which !== true) throw DomainError.notFound('example to change');
  throw new DomainError(
    'conflict',
    'no_contrast_left',
    'This round has no earlier example that you can change. Write your own example first.',
  );
}
