import type { ConsentView, GiveConsent } from '@assay/contracts/people';
import { User } from '@assay/identity';
import { DomainError, newId } from '@assay/kernel';
import type { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Consent, ConsentRecord } from './consent.js';
import { collectionOf, isEnoughConsent, neededConsent } from './eligibility.js';

/** Shows and stores the consent that tasks ask of participants. */
@Injectable()
export class ConsentsService {
  constructor(private readonly em: EntityManager) {}

  /** @param userId null: not signed in */
  async view(task: Task, userId: string | null): Promise<ConsentView> {
    const given = userId === null ? null : await this.em.fork().findOne(Consent, { task: task.id, user: userId });
    const { consent, licence, contentWarning } = collectionOf(task);
    return {
      task: task.slug,
      consent: consent ?? null,
      licence: licence ?? null,
      contentWarning: contentWarning ?? null,
      minimumAge: neededConsent(task).minimumAge,
      isEnough: userId !== null && isEnoughConsent(neededConsent(task), given),
      given: given && {
        consentVersion: given.consentVersion ?? null,
        licenceVersion: given.licenceVersion ?? null,
        minimumAge: given.minimumAge ?? null,
        warned: given.warned,
        at: given.createdAt.toISOString(),
      },
    };
  }

  /**
   * Stores the user's consent to the task's current terms. Idempotent.
   * @throws DomainError `consent_outdated`, `age_needed`, `warning_unread`
   */
  async give(task: Task, userId: string, agreed: GiveConsent): Promise<ConsentView> {
    expectAgreed(task, agreed);
    const needed = neededConsent(task);
    await this.em.fork().transactional(async (em) => {
      if (isEnoughConsent(needed, await em.findOne(Consent, { task: task.id, user: userId }))) return;
      const row = { task: task.id, user: userId, ...needed, createdAt: new Date() };
      await em.upsert(
        Consent,
        { id: newId(), ...row },
        {
          onConflictFields: ['task', 'user'],
          onConflictMergeFields: ['consentVersion', 'licenceVersion', 'minimumAge', 'warned', 'createdAt'],
        },
      );
      em.create(ConsentRecord, { ...row, task, user: em.getReference(User, userId) });
    });
    return this.view(task, userId);
  }
}

function expectAgreed(task: Task, agreed: GiveConsent): void {
  const needed = neededConsent(task);
  for (const [what, version] of [
    ['consent', needed.consentVersion],
    ['licence', needed.licenceVersion],
  ] as const) {
    if ((agreed[`${what}Version`] ?? null) === version) continue;
    const asked = version === null ? `asks for no ${what}` : `asks for version "${version}" of its ${what}`;
    throw new DomainError(
      'conflict',
      'consent_outdated',
      `"${task.slug}" ${asked}. Read GET /tasks/${task.slug}/consent, and send the ${what}Version that it returns.`,
    );
  }
  if (needed.minimumAge !== null && agreed.age !== true) {
    throw new DomainError(
      'forbidden',
      'age_needed',
      `The minimum age for "${task.slug}" is ${needed.minimumAge} years. Send "age": true if you are old enough.`,
    );
  }
  if (needed.warned && agreed.warned !== true) {
    throw new DomainError(
      'forbidden',
      'warning_unread',
      `"${task.slug}" has a content warning. Read it, and send "warned": true if you want to take part.`,
    );
  }
}
