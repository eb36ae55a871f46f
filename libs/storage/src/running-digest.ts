import { createHash, type Hash } from 'node:crypto';

/**
 * Computes the sha256 of files that arrive in pieces as they arrive, so that they need not be read
 * again.
 */
export class RunningDigests {
  private readonly running = new Map<string, { readonly hash: Hash; length: number }>();

  /**
   * Hashes a piece that begins at `offset` and yields it unchanged. If the bytes before it were not
   * hashed, the digest is unknown.
   */
  async *pass(id: string, offset: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const before = this.running.get(id);
    // known again only after the whole piece has arrived
    this.running.delete(id);
    const digest = offset === 0 ? { hash: createHash('sha256'), length: 0 } : before;
    const goesOn = digest?.length === offset;
    for await (const chunk of chunks) {
      if (goesOn) digest.hash.update(chunk);
      yield chunk;
      if (goesOn) digest.length += chunk.length;
    }
    if (goesOn) this.running.set(id, digest);
  }

  /**
   * Returns the digest of all `length` bytes, in hexadecimal, and forgets it. Undefined if it is
   * unknown.
   */
  take(id: string, length: number): string | undefined {
    const digest = this.running.get(id);
    this.running.delete(id);
    return digest?.length === length ? digest.hash.digest('hex') : undefined;
  }

  forget(id: string): void {
    this.running.delete(id);
  }
}
