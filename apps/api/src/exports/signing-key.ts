import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { join } from 'node:path';
import { type Signature, signedBytes, type SigningKeyView } from '@assay/contracts';
import { keptSecret } from '@assay/storage';
import { Injectable } from '@nestjs/common';
import { Environment } from '../environment.js';

/**
 * The key that vouches for results: Ed25519 (RFC 8032), made at its first use and kept in `$ASSAY_HOME/signing-key.pem` (mode 600). Who loses
 * it can sign no more under its name; what was signed stays good.
 */
@Injectable()
export class SigningKey {
  private readonly path: string;
  private known: Promise<KeyObject> | null = null;

  constructor(environment: Environment) {
    this.path = join(environment.home, 'signing-key.pem');
  }

  async view(): Promise<SigningKeyView> {
    const publicKey = createPublicKey(await this.privateKey());
    const digest = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' }));
    return {
      algorithm: 'Ed25519',
      keyId: digest.digest('hex').slice(0, 16),
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    };
  }

  /** Signs the RFC 8785 form of a JSON value. */
  async sign(value: unknown): Promise<Signature> {
    const signature = sign(null, signedBytes(value), await this.privateKey());
    return { ...(await this.view()), value: signature.toString('base64') };
  }

  private privateKey(): Promise<KeyObject> {
    this.known ??= this.load().catch((error: unknown) => {
      this.known = null;
      throw error;
    });
    return this.known;
  }

  private async load(): Promise<KeyObject> {
    const secret = await keptSecret(this.path, () =>
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    );
    return createPrivateKey(secret);
  }
}
