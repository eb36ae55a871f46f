import { createPublicKey, sign } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { signedBytes } from '@assay/contracts/results';
import { RepeatedWork } from '@assay/observability';
import { canonicalJson, DomainError } from '@assay/kernel';
import { publishSigningKeys, ResultBundles, SIGNED_RESULT_CHANNEL, SignedResult } from '@assay/leaderboard/results';
import { notifyChannel } from '@assay/persistence/outbox';
import { inTransaction } from '@assay/persistence/queries';
import { Model } from '@assay/submissions';
import { EntityManager, IsolationLevel, LockMode } from '@mikro-orm/postgresql';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { WorkerSettings } from '../worker-settings.js';
import { keyIdOf, pemOf, SIGNING_KEYS_FILE, type SigningKeys, signingKeys } from './signing-keys-file.js';

/** Milliseconds between checks whether an operator has replaced the key. */
const CHECKED = 1000;

/**
 * Signs the results of models with the Ed25519 key of the service (RFC 8032), and publishes the
 * public keys. No other process reads the key. An operator may replace it while workers run. If its
 * file is lost, nothing more can be signed with it, but existing signatures remain valid.
 */
@Injectable()
export class ResultSigner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly work = new RepeatedWork(new Logger(ResultSigner.name));
  /** The published keys, with the version of the file that they were read from. */
  private published: { readonly version: string | null; readonly keys: SigningKeys } | null = null;

  constructor(
    private readonly em: EntityManager,
    private readonly bundles: ResultBundles,
    @Inject(WorkerSettings) private readonly settings: Pick<WorkerSettings, 'home' | 'publicUrl'>,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.work.attempt(() => this.publish());
    this.work.every(CHECKED, () => this.publish());
  }

  onModuleDestroy(): void {
    this.work.stop();
  }

  /**
   * Stores the current results of a model with their signature, computed from one state of the
   * database. Results that are stored and signed with the current key already stay as they are.
   * @throws DomainError `not_found`, `not_scored_yet`
   */
  async sign(modelId: string): Promise<void> {
    const { current } = await this.keys();
    const keyId = keyIdOf(createPublicKey(current));
    const work = async (em: EntityManager): Promise<void> => {
      const model = await em.findOne(Model, modelId);
      if (!model) throw DomainError.notFound('model');
      // an account that is deleted meanwhile leaves no result with its name
      await em.lock(model.owner, LockMode.PESSIMISTIC_READ);
      const bundle = await this.bundles.bundle(em, modelId, this.settings.publicUrl);
      const result = canonicalJson(bundle);
      const stored = await em.findOne(SignedResult, { model: modelId });
      if (stored?.result !== result || stored.keyId !== keyId) {
        const signature = sign(null, signedBytes(bundle), current).toString('base64');
        await em.upsert(SignedResult, { model: modelId, result, signature, keyId, signedAt: new Date() });
      }
      await notifyChannel(em, SIGNED_RESULT_CHANNEL, modelId);
    };
    await inTransaction(this.em, work, { isolationLevel: IsolationLevel.REPEATABLE_READ });
  }

  private async publish(): Promise<void> {
    await this.keys();
  }

  /** Returns the keys in the file, after they were published. */
  private async keys(): Promise<SigningKeys> {
    // determined first, so that a change during the rest is noticed the next time
    const version = await this.version();
    if (version !== null && this.published?.version === version) return this.published.keys;
    const keys = await signingKeys(this.settings.home);
    const current = createPublicKey(keys.current);
    await publishSigningKeys(this.em, [
      ...keys.retired.map((key) => ({ ...key, retiredAt: new Date(key.retiredAt) })),
      { keyId: keyIdOf(current), publicKey: pemOf(current), retiredAt: null },
    ]);
    this.published = { version, keys };
    return keys;
  }

  /** Returns what identifies the content of the file; null if there is no file. */
  private async version(): Promise<string | null> {
    const file = await stat(join(this.settings.home, SIGNING_KEYS_FILE)).catch(() => null);
    return file && `${file.ino} ${file.mtimeMs}`;
  }
}
