import { createHmac } from 'node:crypto';

/**
 * Makes the pseudonyms of annotators in published data: a keyed hash (HMAC-SHA-256, RFC 2104), the
 * same for a person within a task and different in every other task. Without the key, nobody can
 * find out who it is.
 */
export class Pseudonyms {
  /** @param key a secret of this installation, at least 32 bytes */
  constructor(private readonly key: Buffer) {}

  of(taskId: string, userId: string): string {
    return createHmac('sha256', this.key).update(`${taskId}\n${userId}`).digest('hex');
  }
}
