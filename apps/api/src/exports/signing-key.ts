import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type RetiredKeyMark, type Signature, signedBytes, type SigningKeyView } from '@assay/contracts/results';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Environment } from '../environment.js';
import { keyIdOf, pemOf, SIGNING_KEYS_FILE, type SigningKeys, signingKeys } from './signing-keys-file.js';

/**
 * The Ed25519 key (RFC 8032) that signs results, with the keys that did so before. An operator may
 * replace it while the service runs. If its file is lost, nothing more can be signed with it, but
 * existing signatures remain valid.
 */
@Injectable()
export class SigningKey implements OnApplicationBootstrap {
  private readonly logger = new Logger(SigningKey.name);
  /** The cached keys, with the version of the file that they were read from. */
  private known: { readonly version: string; readonly keys: SigningKeys } | null = null;

  constructor(@Inject(Environment) private readonly environment: Pick<Environment, 'home'>) {}

  /**
   * Retires a key that an earlier version left, at the first start of this version and not at the
   * first result.
   */
  async onApplicationBootstrap(): Promise<void> {
    await this.keys().catch((error: unknown) => this.logger.error(error));
  }

  async view(): Promise<SigningKeyView> {
    const { current, retired } = await this.keys();
    return { ...published(current), retired: retired.map((key) => ({ ...key })) };
  }

  /** Signs the RFC 8785 form of a JSON value. */
  async sign(value: unknown): Promise<Signature> {
    const { current } = await this.keys();
    return { ...published(current), value: sign(null, signedBytes(value), current).toString('base64') };
  }

  /** Returns a function that gives the retired key that was in use at a time, if there was one. */
  async retiredKeys(): Promise<(at: Date | null) => RetiredKeyMark | undefined> {
    const { retired } = await this.keys();
    return (at) => {
      const key = at && retired.find(({ retiredAt }) => at < new Date(retiredAt));
      return key ? { keyId: key.keyId, retiredAt: key.retiredAt } : undefined;
    };
  }

  private async keys(): Promise<SigningKeys> {
    if (this.known && this.known.version === (await this.version())) return this.known.keys;
    const keys = await signingKeys(this.environment.home);
    this.known = { version: await this.version(), keys };
    return keys;
  }

  private async version(): Promise<string> {
    const file = await stat(join(this.environment.home, SIGNING_KEYS_FILE)).catch(() => null);
    return file ? `${file.ino} ${file.mtimeMs}` : '';
  }
}

function published(key: KeyObject) {
  const publicKey = createPublicKey(key);
  return { algorithm: 'Ed25519', keyId: keyIdOf(publicKey), publicKey: pemOf(publicKey) } as const;
}
