import type { CrowdLinkView, CrowdOffer, CrowdSessionRow, MakeCrowdLink } from '@assay/contracts/rounds';
import { type Actor, AuditLog, type AuditRecord } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { medianOf } from '@assay/scoring/metrics';
import type { Round, Task } from '@assay/tasks';
import { readExample } from '@assay/tasks/examples';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { collectionOf } from '../people/eligibility.js';
import { AnnotationRepository } from '../annotating/annotation.repository.js';
import { CrowdLink, CrowdSession } from './crowd-session.js';
import { CrowdSigner } from './crowd-signer.js';
import { hourlyRate } from './pay.js';

const MTURK_FRAMES = ['https://workersandbox.mturk.com', 'https://www.mturk.com', 'https://*.mturk.com'];
const MTURK_SUBMIT = ['https://workersandbox.mturk.com', 'https://www.mturk.com'];
const MINUTE = 60_000;

/** Returns the URL of the page for a signed link. */
export type AddressOf = (signed: string) => string;

/** Manages the links by which workers of a crowd platform take part in a round. */
@Injectable()
export class CrowdLinks {
  constructor(
    private readonly em: EntityManager,
    private readonly signer: CrowdSigner,
  ) {}

  /**
   * Creates a link.
   * @throws DomainError `round_closed`, `expires_in_past`, `invalid_onboarding`
   */
  async make(
    actor: Actor,
    task: Task,
    round: Round,
    request: MakeCrowdLink,
    addressOf: AddressOf,
  ): Promise<CrowdLinkView> {
    requireOpen(round);
    const expiresAt = new Date(request.expiresAt);
    if (expiresAt <= new Date()) {
      throw new DomainError(
        'invalid',
        'expires_in_past',
        'The link would already be expired. Set a later "expiresAt".',
      );
    }
    requireReadable(task, request);
    const isTurk = request.platform === 'mturk';
    const link = this.em.create(CrowdLink, {
      round,
      platform: request.platform,
      examples: request.examples,
      pay: request.pay,
      onboarding: request.onboarding ?? null,
      completionCode: request.completionCode ?? null,
      frameAncestors: request.frameAncestors ?? (isTurk ? MTURK_FRAMES : []),
      submitTo: request.submitTo ?? (isTurk ? MTURK_SUBMIT : []),
      expiresAt,
    });
    const { platform, examples, pay } = request;
    AuditLog.record(this.em, actor, {
      action: 'crowd_link.made',
      subject: auditedLink(task, round, link),
      to: { platform, examples, pay, expiresAt: expiresAt.toISOString() },
    });
    await this.em.flush();
    return this.view(link, addressOf);
  }

  async list(round: Round, addressOf: AddressOf): Promise<CrowdLinkView[]> {
    const links = await this.em.find(CrowdLink, { round }, { orderBy: { createdAt: 'asc' } });
    return Promise.all(links.map((link) => this.view(link, addressOf)));
  }

  /**
   * Closes a link: nobody can start with it any more. Workers who have started can continue, and
   * are paid.
   * @throws DomainError `not_found`
   */
  async close(actor: Actor, task: Task, round: Round, id: string, addressOf: AddressOf): Promise<CrowdLinkView> {
    const link = await this.of(round, id);
    if (!link.closedAt) {
      link.closedAt = new Date();
      const changes = { from: { closed: false }, to: { closed: true } };
      const subject = auditedLink(task, round, link);
      AuditLog.record(this.em, actor, { action: 'crowd_link.closed', subject, ...changes });
    }
    await this.em.flush();
    return this.view(link, addressOf);
  }

  async sessions(round: Round, id: string): Promise<CrowdSessionRow[]> {
    const link = await this.of(round, id);
    const sessions = await this.em.find(CrowdSession, { link }, { orderBy: { createdAt: 'asc' } });
    const now = new Date();
    return Promise.all(
      sessions.map(async (session) => ({
        id: session.id,
        worker: session.worker,
        assignment: session.assignment,
        hit: session.hit ?? null,
        state: session.state,
        early: session.early,
        examples: session.examples ?? (await new AnnotationRepository(this.em).writtenIn(round, session)),
        minutes: workedMilliseconds(session, now) / MINUTE,
        pay: session.paid ?? null,
        hourlyRate: hourlyRateOf(session),
        code: session.code ?? null,
        startedAt: session.createdAt.toISOString(),
        finishedAt: session.finishedAt?.toISOString() ?? null,
      })),
    );
  }

  /**
   * Returns the link for a signed token, with its round and task. Accepts expired tokens.
   * @throws DomainError `invalid_link`
   */
  async signed(signed: string): Promise<CrowdLink> {
    const id = await this.signer.linkOf(signed);
    const failHandler = (): DomainError =>
      new DomainError('forbidden', 'invalid_link', 'This link was deleted with its round.');
    return this.em.findOneOrFail(CrowdLink, id, { populate: ['round.task.owner'], failHandler });
  }

  offer({ platform, round, examples, pay, onboarding }: CrowdLink): CrowdOffer {
    const { slug, definition } = round.task;
    const { instructions, contentWarning } = collectionOf(round.task);
    const { output } = definition;
    return {
      platform,
      task: {
        slug,
        name: definition.name,
        description: definition.description,
        language: definition.language,
        instructions,
        contentWarning: contentWarning ?? null,
        inputs: definition.inputs.map(({ name }) => name),
        answer: output.type,
        labels: output.type === 'label' || output.type === 'labels' ? [...output.labels] : null,
      },
      round: round.number,
      examples,
      pay,
      hourlyRate: hourlyRate(pay.amount, pay.minutes * MINUTE)!,
      hasTest: Boolean(onboarding),
    };
  }

  private of(round: Round, id: string): Promise<CrowdLink> {
    return this.em.findOneOrFail(CrowdLink, { id, round }, { failHandler: DomainError.missing('crowd link') });
  }

  private async view(link: CrowdLink, addressOf: AddressOf): Promise<CrowdLinkView> {
    const sessions = await this.em.find(CrowdSession, { link });
    const count = (state: CrowdSession['state']) => sessions.filter((session) => session.state === state).length;
    return {
      id: link.id,
      url: addressOf(await this.signer.sign(link.id, link.expiresAt)),
      platform: link.platform,
      examples: link.examples,
      pay: link.pay,
      onboarding: link.onboarding ?? null,
      completionCode: link.completionCode ?? null,
      frameAncestors: [...link.frameAncestors],
      submitTo: [...link.submitTo],
      expiresAt: link.expiresAt.toISOString(),
      closedAt: link.closedAt?.toISOString() ?? null,
      createdAt: link.createdAt.toISOString(),
      sessions: {
        onboarding: count('onboarding'),
        working: count('working'),
        failed: count('failed'),
        ended: count('ended'),
        finished: count('finished'),
      },
      workers: new Set(sessions.map(({ worker }) => worker)).size,
      paid: Number(sessions.reduce((sum, { paid }) => sum + (paid ?? 0), 0).toFixed(2)),
      medianHourlyRate: medianOf(sessions.flatMap((session) => hourlyRateOf(session) ?? [])),
    };
  }
}

const auditedLink = ({ slug }: Task, { number }: Round, { id }: CrowdLink): AuditRecord['subject'] => ({
  kind: 'crowd_link',
  id,
  name: `${slug} round ${number}`,
});

/** @throws DomainError `round_closed` */
export function requireOpen({ state, number }: Round): void {
  if (state === 'open') return;
  throw new DomainError('conflict', 'round_closed', `Round ${number} is closed and accepts no more examples.`);
}

const workedMilliseconds = ({ createdAt, endedAt }: CrowdSession, now: Date): number =>
  (endedAt ?? now).getTime() - createdAt.getTime();

function hourlyRateOf(session: CrowdSession): number | null {
  if (session.paid === null || session.paid === undefined || !session.finishedAt) return null;
  return hourlyRate(session.paid, workedMilliseconds(session, session.finishedAt));
}

/**
 * @throws DomainError `invalid_onboarding` if a question of the test is not a valid example of the
 *   task
 */
function requireReadable(task: Task, { onboarding }: MakeCrowdLink): void {
  const { definition } = task;
  const problems = (onboarding?.questions ?? []).flatMap(({ input, label }, index) => {
    const read = readExample(definition, { ...input, [definition.output.name]: label }, index);
    return read.ok ? [] : [{ path: `onboarding.questions.${index}`, message: read.why }];
  });
  if (problems.length === 0) return;
  const detail = problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new DomainError(
    'invalid',
    'invalid_onboarding',
    `The test has questions that do not fit this task: ${detail}.`,
    problems,
  );
}
