import { isVerified } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { SubmissionFactsRepository } from './submission-facts.repository.js';

/** Injection token of a boolean: only verified accounts may submit to tasks with hidden data. */
export const VERIFIED_SUBMITTERS = Symbol('VerifiedSubmitters');

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
    const facts = await new SubmissionFactsRepository(this.em.fork()).get(userId, slug);
    if (facts.isExcluded) return excluded();
    return this.verifiedOnly && facts.hasHiddenData && !isVerified(facts) ? unverified() : null;
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
    'This task has hidden data, so only verified accounts may submit to it. Confirm your mail address under "Account", or ask an administrator to verify your account.',
  );
