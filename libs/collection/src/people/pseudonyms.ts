import { createHmac } from 'node:crypto';

/**
 * Names annotators in what is published: a keyed hash (HMAC-SHA-256, RFC 2104), the same for a person within a task and another in every
 * other task. Without the key nobody can tell whose it is.
 */
export class Pseudonyms {
  /** @param key a secret of this installation, at least 32 bytes */
  constructor(private readonly key: Buffer) {}

  of(taskId: string, userId: string): string {
    return createHmac('sha256', this.key).update(`${taskId}\n${userId}`).digest('hex');
  }
}
