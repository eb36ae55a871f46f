import { randomUUID } from 'node:crypto';
import type { GivenLabel } from '@assay/contracts/annotating';
import type { CrowdSessionStarted, CrowdSessionView, StartCrowdSession } from '@assay/contracts/rounds';
import { CredentialsService, hashOf, type Principal, User } from '@assay/identity';
import { DomainError, newId } from '@assay/kernel';
import { ifDuplicate } from '@assay/persistence/queries';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Pseudonyms } from '../people/pseudonyms.js';
import { AnnotationRepository } from '../annotating/annotation.repository.js';
import { type CrowdLink, CrowdSession } from './crowd-session.js';
import { CrowdLinks, requireOpen } from './crowd-links.service.js';
import { passes } from './onboarding-test.js';
import { dueFor } from './pay.js';
import { type PlatformIds, platformIds } from './platform-ids.js';

const TOKEN_LIFE = 4 * 3_600_000;
const WHOLE = ['link.round.task'] as const;

/** The IDs and the secret that a worker's browser sends. */
interface Entry {
  readonly link: CrowdLink;
  readonly ids: PlatformIds;
  /** The SHA-256 of the browser's secret. */
  readonly secretHash: string;
}

/** Runs the assignments of crowd workers. */
@Injectable()
export class CrowdSessions {
  constructor(
    private readonly em: EntityManager,
    private readonly links: CrowdLinks,
    private readonly credentials: CredentialsService,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  /**
   * Starts an assignment, or continues it in the browser that started it. A worker and assignment
   * make one session.
   * @throws DomainError `invalid_link`, `expired_link`, `link_closed`, `round_closed`,
   *   `preview_only`, `missing_ids`, `submit_to_refused`, `assignment_taken`, `other_browser`
   */
  async start(request: StartCrowdSession): Promise<CrowdSessionStarted> {
    const link = await this.links.signed(request.link);
    const entry = { link, ids: platformIds(link, request), secretHash: hashOf(request.secret) };
    const worker = await this.account(this.em.fork(), link, entry.ids.worker);
    const expiresAt = new Date(Date.now() + TOKEN_LIFE);
    return this.em.transactional(async (em) => {
      // one at a time per worker, so that their sessions do not overlap
      await em.findOneOrFail(User, worker.id, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
      const session = (await this.present(em, entry)) ?? (await this.begin(em, entry));
      if (session.credential) {
        await this.credentials.endSession({ credentialId: session.credential });
      }
      const { credential, secret } = await this.credentials.issue(session.user, 'session', 'crowd', { expiresAt });
      session.credential = credential.id;
      await em.flush();
      return { token: secret, expiresAt: expiresAt.toISOString(), session: await this.view(em, session) };
    });
  }

  /**
   * Returns the session that the principal's token belongs to.
   * @throws DomainError `not_found`
   */
  async current(principal: Principal): Promise<CrowdSessionView> {
    return this.view(this.em, await this.of(principal));
  }

  /**
   * Returns the session that the principal's token belongs to, with its link, round and task.
   * @throws DomainError `not_found`
   */
  async of({ credentialId }: Principal): Promise<CrowdSession> {
    const failHandler = DomainError.missing('session');
    return this.em.findOneOrFail(CrowdSession, { credential: credentialId }, { populate: WHOLE, failHandler });
  }

  /**
   * Takes the answers to the onboarding test.
   * @throws DomainError `no_test`, `wrong_number_of_answers`
   */
  async answer(principal: Principal, answers: readonly GivenLabel[]): Promise<CrowdSessionView> {
    return this.change(principal, (session) => {
      const { onboarding, round } = session.link;
      if (session.state !== 'onboarding' || !onboarding) {
        throw new DomainError('conflict', 'no_test', 'No qualification test is open.');
      }
      const isPassed = passes(round.task, onboarding, answers);
      session.attempts += 1;
      session.hasPassed = isPassed;
      if (isPassed) session.become('working');
      else if (session.attempts >= onboarding.attempts) session.become('failed');
      return Promise.resolve();
    });
  }

  /**
   * Finishes the work and computes the amount due. Idempotent: it is paid once.
   * @throws DomainError `not_done_yet` if examples are missing and `early` is false
   */
  async finish(principal: Principal, { early }: { readonly early: boolean }): Promise<CrowdSessionView> {
    return this.change(principal, async (session, em) => {
      if (session.state === 'finished') return;
      const { link } = session;
      const now = new Date();
      const done = await new AnnotationRepository(em).writtenIn(link.round, session);
      if (done < link.examples && !early) {
        throw new DomainError(
          'conflict',
          'not_done_yet',
          `${done} of ${link.examples} examples are written. Write the others, or leave early and be paid for these.`,
        );
      }
      session.become('finished');
      session.early = done < link.examples;
      session.endedAt ??= now;
      session.finishedAt = now;
      session.examples = done;
      session.paid = dueFor(link.pay, done, link.examples);
      session.code = link.completionCode ?? randomUUID();
    });
  }

  private async change(
    principal: Principal,
    change: (session: CrowdSession, em: EntityManager) => Promise<void>,
  ): Promise<CrowdSessionView> {
    const { id } = await this.of(principal);
    return this.em.transactional(async (em) => {
      const session = await em.findOneOrFail(CrowdSession, id, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
      await em.populate(session, WHOLE);
      await change(session, em);
      await em.flush();
      return this.view(em, session);
    });
  }

  /**
   * Returns the account of a worker within a task. Later sessions use the account of earlier ones.
   * In a browser that started none of the worker's sessions it is a separate account, because it
   * may be somebody who only knows the worker's ID.
   */
  private async userOf(em: EntityManager, { link, ids, secretHash }: Entry): Promise<User> {
    const { platform, round } = link;
    const where = { platform, worker: ids.worker, link: { round: { task: round.task.id } } };
    const sessions = await em.find(CrowdSession, where, { populate: ['user'] });
    const own = sessions.find((session) => session.secretHash === secretHash);
    if (own) return own.user;
    return this.account(em, link, sessions.length === 0 ? ids.worker : `${ids.worker}\n${ids.assignment}`);
  }

  /** Returns an account without e-mail address and password, so that nobody can sign in to it. */
  private async account(em: EntityManager, { platform, round }: CrowdLink, whose: string): Promise<User> {
    const name = `crowd-${this.pseudonyms.of(round.task.id, `${platform}\n${whose}`).slice(0, 32)}`;
    const row = {
      id: newId(),
      username: name,
      usernameKey: name,
      email: `${name}@crowd.invalid`,
      role: 'crowd' as const,
    };
    await em.upsert(
      User,
      { ...row, passwordHash: null, createdAt: new Date() },
      { onConflictFields: ['usernameKey'], onConflictAction: 'ignore' },
    );
    return em.findOneOrFail(User, { usernameKey: name });
  }

  private async present(em: EntityManager, { link, ids, secretHash }: Entry): Promise<CrowdSession | null> {
    const { platform } = link;
    const session = await em.findOne(
      CrowdSession,
      { platform, assignment: ids.assignment },
      { populate: [...WHOLE, 'user'] },
    );
    if (!session) return null;
    if (session.worker !== ids.worker || session.link.id !== link.id) throw taken();
    session.secretHash ??= secretHash;
    if (session.secretHash !== secretHash) {
      throw new DomainError(
        'conflict',
        'other_browser',
        'This assignment was started in another browser. Continue in that browser, or return the assignment on the platform.',
      );
    }
    return session;
  }

  private async begin(em: EntityManager, entry: Entry): Promise<CrowdSession> {
    const { link, ids, secretHash } = entry;
    requireUsable(link);
    requireOpen(link.round);
    const user = await this.userOf(em, entry);
    const earlier = await em.find(CrowdSession, { user, finishedAt: null, endedAt: null });
    const now = new Date();
    for (const session of earlier) {
      session.become('ended');
      session.endedAt = now;
    }
    const state = await this.firstState(em, link, user);
    const session = em.create(CrowdSession, {
      link,
      user,
      platform: link.platform,
      ...ids,
      secretHash,
      credential: null,
      state,
      hasPassed: state === 'working',
      createdAt: now,
    });
    await em.flush().catch(ifDuplicate(taken));
    return session;
  }

  /**
   * Returns the initial state of a session. A worker who passed the test of this link need not
   * repeat it; one who used up the attempts may not.
   */
  private async firstState(em: EntityManager, link: CrowdLink, user: User): Promise<CrowdSession['state']> {
    if (!link.onboarding) return 'working';
    const earlier = await em.find(CrowdSession, { link, user });
    if (earlier.some(({ hasPassed }) => hasPassed)) return 'working';
    const attempts = earlier.reduce((sum, session) => sum + session.attempts, 0);
    return attempts >= link.onboarding.attempts ? 'failed' : 'onboarding';
  }

  private async view(em: EntityManager, session: CrowdSession): Promise<CrowdSessionView> {
    const { link, state, code, paid } = session;
    const done = session.examples ?? (await new AnnotationRepository(em).writtenIn(link.round, session));
    const isTested = state === 'onboarding' && link.onboarding;
    return {
      state,
      task: link.round.task.slug,
      round: link.round.number,
      examples: { done, of: link.examples },
      pay: link.pay,
      earned: dueFor(link.pay, done, link.examples),
      onboarding: isTested
        ? {
            questions: isTested.questions.map(({ input }) => input),
            attemptsLeft: isTested.attempts - session.attempts,
            pass: isTested.pass,
          }
        : null,
      finished:
        state === 'finished'
          ? { early: session.early, paid: paid ?? 0, code: code ?? '', submission: submissionOf(session) }
          : null,
    };
  }
}

/** @throws DomainError `link_closed`, `expired_link` */
export function requireUsable({ closedAt, expiresAt }: CrowdLink): void {
  if (closedAt) {
    throw new DomainError(
      'forbidden',
      'link_closed',
      'The owner of this link has closed it. It accepts no new workers.',
    );
  }
  if (expiresAt.getTime() <= Date.now()) {
    throw new DomainError('forbidden', 'expired_link', 'This link has expired. It accepts no new workers.');
  }
}

function submissionOf({ assignment, submitTo, code, examples, link }: CrowdSession) {
  if (link.platform === 'prolific') {
    const url = `https://app.prolific.com/submissions/complete?cc=${encodeURIComponent(code ?? '')}`;
    return { method: 'GET' as const, url };
  }
  const fields = { assignmentId: assignment, code: code ?? '', examples: String(examples ?? 0) };
  return { method: 'POST' as const, url: `${submitTo ?? ''}/mturk/externalSubmit`, fields };
}

const taken = (): DomainError =>
  new DomainError(
    'conflict',
    'assignment_taken',
    'This assignment belongs to another worker, or to another link. Open the link as the platform shows it to you.',
  );
