import type { WebhookAttempt, WebhookDisabledBy } from '@assay/contracts/webhooks';
import { AuditLog } from '@assay/identity/audit';
import type { Rng } from '@assay/kernel';
import { notify } from '@assay/notifications';
import {
  type ClaimedDelivery,
  DAYS_UNTIL_DISABLED,
  type DeliveryEnd,
  MOST_TRIES,
  originOf,
  retryAfterSeconds,
  secondsUntilRetry,
  Webhook,
  WebhookDeliveryRepository,
  webhookHeaders,
  WebhookRepository,
  type WebhookSecrets,
} from '@assay/notifications/webhooks';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { PostResult, WorkerMetrics } from '../worker-metrics.js';
import { type PostOutcome, type PostSettings, postWebhook } from './webhook-post.js';

const GONE = 410;

/** Delivers webhooks: claims a delivery, posts it and records the result. */
export class WebhookSender {
  constructor(
    private readonly em: EntityManager,
    private readonly secrets: WebhookSecrets,
    private readonly post: PostSettings,
    private readonly rng: Pick<Rng, 'next'>,
    private readonly metrics: Pick<WorkerMetrics, 'webhookPosted'>,
  ) {}

  /**
   * Sends a delivery that is due. After a crash between sending and recording, it is sent again
   * with the same webhook-id.
   * @returns the claim; null if there was nothing to send
   */
  async send(deliveryId: string): Promise<ClaimedDelivery | null> {
    const claim = await new WebhookDeliveryRepository(this.em).claim(deliveryId, this.secrets.keyId);
    if (!claim) return null;
    const { id, webhookId, url, body } = claim;
    const at = new Date();
    const begun = performance.now();
    const sealed = [claim.secret, ...(claim.formerSecret === null ? [] : [claim.formerSecret])];
    const secrets = sealed.map((each) => this.secrets.open(webhookId, each));
    const headers = webhookHeaders(secrets, id, body, at);
    const outcome = await postWebhook({ url: new URL(url), headers, body }, this.post);
    const milliseconds = Math.round(performance.now() - begun);
    const words = wordsOf(outcome);
    this.metrics.webhookPosted(resultOf(words), milliseconds / 1000);
    await this.note(claim, outcome, { at: at.toISOString(), milliseconds, ...words });
    return claim;
  }

  private async note(claim: ClaimedDelivery, outcome: PostOutcome, attempt: WebhookAttempt): Promise<void> {
    const end = attempt.problem === null ? ({ state: 'delivered' } as const) : this.endOfFailure(claim, outcome);
    await this.em.fork().transactional(async (em) => {
      // locks in the same order as a claim
      const webhook = await em.findOne(Webhook, claim.webhookId, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!webhook || !(await new WebhookDeliveryRepository(em).end(claim, attempt, end))) return;
      if (end.state === 'delivered') {
        webhook.failingSince = null;
        return;
      }
      const by = await this.reasonToDisable(em, webhook, outcome);
      if (by !== null) await disable(em, webhook, by);
    });
  }

  private endOfFailure({ tries }: ClaimedDelivery, outcome: PostOutcome): DeliveryEnd {
    if (tries >= MOST_TRIES || statusOf(outcome) === GONE) return { state: 'failed' };
    const asked = outcome.kind === 'answered' ? retryAfterSeconds(outcome.retryAfter, new Date()) : null;
    return { state: 'waiting', seconds: secondsUntilRetry(tries, asked, this.rng) };
  }

  private async reasonToDisable(
    em: EntityManager,
    webhook: Webhook,
    outcome: PostOutcome,
  ): Promise<Exclude<WebhookDisabledBy, 'you'> | null> {
    const isLong = await new WebhookRepository(em).recordFailure(webhook.id, DAYS_UNTIL_DISABLED);
    if (webhook.disabledAt) return null;
    if (statusOf(outcome) === GONE) return 'gone';
    return isLong ? 'failing' : null;
  }
}

const resultOf = ({ status, problem }: Pick<WebhookAttempt, 'status' | 'problem'>): PostResult =>
  status === null ? 'unreached' : problem === null ? 'delivered' : 'refused';

const statusOf = (outcome: PostOutcome): number | null => (outcome.kind === 'answered' ? outcome.status : null);

function wordsOf(outcome: PostOutcome): Pick<WebhookAttempt, 'status' | 'answer' | 'problem'> {
  if (outcome.kind === 'unreached') return { status: null, answer: '', problem: outcome.problem };
  const { status, answer } = outcome;
  const isRedirect = status >= 300 && status < 400;
  if (status >= 200 && status < 300) return { status, answer, problem: null };
  return {
    status,
    answer,
    problem: isRedirect ? `It answered ${status}. Redirects are not followed.` : `It answered ${status}.`,
  };
}

const WHY = {
  gone: 'it answered 410 Gone.',
  failing: `no delivery has succeeded for ${DAYS_UNTIL_DISABLED} days.`,
} as const;

async function disable(em: EntityManager, webhook: Webhook, by: 'gone' | 'failing'): Promise<void> {
  const now = new Date();
  const { id, user } = webhook;
  const origin = originOf(webhook);
  webhook.disable(by, now);
  await new WebhookDeliveryRepository(em).failWaiting(id);
  const subject = { kind: 'webhook', id } as const;
  AuditLog.record(em, null, { action: 'webhook.disabled', subject, from: { origin }, to: { by } });
  await em.flush();
  const key = `webhook:${id}:${now.toISOString()}`;
  await notify(em, { kind: 'webhook_disabled', key, data: { webhook: { id, origin }, why: WHY[by] } }, [user.id]);
}
