import type { VerificationFacts } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { preparedRows, Repository } from '@assay/persistence/queries';

/** The facts that decide whether a user may submit to a task. */
export interface SubmissionFacts extends VerificationFacts {
  /** The task has an active or proposed dataset that is not public. */
  readonly hasHiddenData: boolean;
  /** The task limits its submitters, and the user is none of them. */
  readonly isExcluded: boolean;
}

/** Reads these facts from the database. */
export class SubmissionFactsRepository extends Repository {
  /** @throws DomainError `not_found` */
  async get(userId: string, slug: string): Promise<SubmissionFacts> {
    const [facts] = await preparedRows<SubmissionFacts>(
      this.em,
      `select u.role, u.email_verified_at as "emailVerifiedAt", u.invitation_id as "invitation", u.verified_at as "verifiedAt",
          exists (select from dataset d join dataset_version v on v.dataset_id = d.id
            where d.task_id = t.id and d.visibility <> 'public' and v.status in ('active', 'proposed')) as "hasHiddenData",
          t.limits_submitters and t.owner_id <> u.id and u.role <> 'administrator'
            and not exists (select from task_submitter s where s.task_id = t.id and s.user_id = u.id) as "isExcluded"
         from user_account u, task t where u.id = $1 and t.slug = $2`,
      [userId, slug],
    );
    if (!facts) throw DomainError.notFound('task');
    return facts;
  }
}
