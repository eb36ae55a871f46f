import type { SignedResult as SignedResultView, SigningKeyView } from '@assay/contracts/results';
import { canonicalJson, DomainError } from '@assay/kernel';
import { ResultBundles, SIGNED_RESULT_CHANNEL, SignedResult, signingKeyView } from '@assay/leaderboard/results';
import { Notifications, Outbox } from '@assay/persistence/outbox';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { filter, firstValueFrom, race, Subject, timer } from 'rxjs';
import { Environment } from '../environment.js';

/** Milliseconds for which a request waits until a worker has signed a result. */
const LONGEST_WAIT = 10_000;
/** Milliseconds after which a result is requested again, because a job or a notification may be lost. */
const REPEATED = 2000;
/** Announces that any result may be signed. */
const ANY = '';

/** Serves the results that a worker has signed. The API has no key and cannot sign. */
@Injectable()
export class SignedResults implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(SignedResults.name);
  /** The IDs of models whose result was signed. */
  private readonly announced = new Subject<string>();
  /** The result that is being waited for, by model ID. Concurrent requests share it. */
  private readonly awaited = new Map<string, Promise<SignedResultView>>();
  private isClosing = false;

  constructor(
    private readonly em: EntityManager,
    private readonly bundles: ResultBundles,
    private readonly notifications: Notifications,
    private readonly environment: Environment,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.notifications.subscribe(
      SIGNED_RESULT_CHANNEL,
      (modelId) => this.announced.next(modelId),
      () => this.announced.next(ANY),
    );
  }

  onModuleDestroy(): void {
    this.isClosing = true;
    this.announced.next(ANY);
  }

  /**
   * Returns the current results of a model, signed with the current key. The same scores give
   * everybody the same bytes, including the signature. If a worker has not signed these results yet,
   * asks for it and waits.
   * @throws DomainError `not_scored_yet`, `signing_unavailable`
   */
  async get(modelId: string): Promise<SignedResultView> {
    const signed = await this.signed(modelId);
    if (signed) return signed;

    const awaited = this.awaited.get(modelId) ?? this.wait(modelId).finally(() => this.awaited.delete(modelId));
    this.awaited.set(modelId, awaited);
    return awaited;
  }

  /**
   * Returns the public key that results are signed with, and the retired keys.
   * @throws DomainError `signing_unavailable`
   */
  signingKey(): Promise<SigningKeyView> {
    return signingKeyView(this.em);
  }

  /** Returns the current results if they are signed with the current key, otherwise null. */
  private async signed(modelId: string): Promise<SignedResultView | null> {
    const em = this.em.fork();
    const result = await this.bundles.bundle(em, modelId, this.environment.publicUrl);
    const { algorithm, keyId, publicKey } = await signingKeyView(em);
    const stored = await em.findOne(SignedResult, { model: modelId, keyId });
    if (stored?.result !== canonicalJson(result)) return null;
    return { result, signature: { algorithm, keyId, publicKey, value: stored.signature } };
  }

  private async wait(modelId: string): Promise<SignedResultView> {
    const deadline = performance.now() + LONGEST_WAIT;
    while (!this.isClosing && performance.now() < deadline) {
      const announced = firstValueFrom(
        race(this.announced.pipe(filter((id) => id === modelId || id === ANY)), timer(REPEATED)),
      );
      await this.request(modelId);
      await announced;
      const signed = await this.signed(modelId);
      if (signed) return signed;
    }
    this.logger.warn(`No worker with this PUBLIC_URL has signed the results of the model ${modelId} in time.`);
    throw new DomainError(
      'unavailable',
      'signing_unavailable',
      'This result is not signed yet, because no worker of the service has signed it in time. Try again in a moment.',
    );
  }

  private async request(modelId: string): Promise<void> {
    const em = this.em.fork();
    Outbox.add(em, 'result.requested', { modelId });
    await em.flush();
  }
}
