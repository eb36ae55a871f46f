import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { storedKey } from '@assay/storage';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/**
 * Creates the secrets of webhooks, and encrypts them for the database with AES-256-GCM (NIST SP
 * 800-38D). The key is not in the database. A hash, as for tokens, does not suffice, because
 * signing needs the secret itself. Each ciphertext is bound to its webhook, so that it cannot be
 * used for another one.
 */
export class WebhookSecrets {
  /** Identifies the key without revealing it. */
  readonly keyId: string;

  /**
   * @param key a secret of this installation, 32 bytes; the same in all processes that create or
   *   send webhooks
   */
  constructor(private readonly key: Buffer) {
    this.keyId = createHash('sha256').update('webhook-key\n').update(key).digest('hex').slice(0, 16);
  }

  /** Reads the key from the data folder `home`, where it is created on first use. */
  static async stored(home: string): Promise<WebhookSecrets> {
    return new WebhookSecrets(await storedKey(join(home, 'webhook-key')));
  }

  /** Returns a new secret, in the format of Standard Webhooks. */
  make(): string {
    return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  }

  seal(webhookId: string, secret: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(webhookId));
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64');
  }

  /**
   * Decrypts a secret.
   * @throws Error if it was encrypted with another key or for another webhook
   */
  open(webhookId: string, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(webhookId))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  }
}

/**
 * Returns the headers that identify the event and its sender, as in Standard Webhooks 1.0.0:
 * HMAC-SHA-256 over ID, time and body.
 * @param secrets makes a signature with each: two while receivers switch to a new secret
 */
export function webhookHeaders(
  secrets: readonly string[],
  id: string,
  body: string,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
