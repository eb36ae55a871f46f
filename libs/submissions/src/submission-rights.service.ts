import { isVerified, type VerificationFacts } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { preparedRows } from '@assay/persistence/queries';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';

/** Injection token of a boolean: only verified accounts may submit to tasks with hidden data. */
export const VERIFIED_SUBMITTERS = Symbol('VerifiedSubmitters');

interface SubmissionFacts extends VerificationFacts {
  /** The task has an active or proposed dataset that is not public. */
  readonly hasHiddenData: boolean;
  /** The task limits its submitters, and the user is none of them. */
  readonly isExcluded: boolean;
}

/** Decides who may submit models to a task. */
@Injectable()
export class SubmissionRights {
  constructor(
    private readonly em: EntityManager,
    @Inject(VERIFIED_SUBMITTERS) private readonly verifiedOnly: boolean,
  ) {}

  /** @throws DomainError `not_a_submitter`, `account_unverified` if the user may not submit to the task */
  async expect(userId: string, slug: string): Promise<void> {
    const refusal = await this.refusal(userId, slug);
    if (refusal) throw refusal;
  }

  /** Returns why a user may not submit to a task, or null if they may. */
  async refusal(userId: string, slug: string): Promise<DomainError | null> {
    const facts = await this.facts(userId, slug);
    if (facts.isExcluded) return excluded();
    return this.verifiedOnly && facts.hasHiddenData && !isVerified(facts) ? unverified() : null;
  }

  private async facts(userId: string, slug: string): Promise<SubmissionFacts> {
    const [facts] = await preparedRows<SubmissionFacts>(
      this.em.fork(),
      `select u.role, u.email_verified_at as "emailVerifiedAt", u.invitation_id as "invitation",
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

const excluded = (): DomainError =>
  new DomainError(
    'forbidden',
    'not_a_submitter',
    'Only the people whom its owner has listed may submit to this task. Ask the owner to add you.',
  );

const unverified = (): DomainError =>
  new DomainError(
    'forbidden',
    'account_unverified',
    'This task has hidden data, so only verified accounts may submit to it. Confirm your mail address under "Account", or register with an invitation of an administrator.',
  );
