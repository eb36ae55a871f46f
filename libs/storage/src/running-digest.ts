import { createHash, type Hash } from 'node:crypto';

/** The sha256 of files that arrive in pieces, computed as they come, so that they need not be read again. */
export class RunningDigests {
  private readonly running = new Map<string, { readonly hash: Hash; length: number }>();

  /** Passes on a piece that begins at `offset`. Where what came before it is not known, neither is the digest. */
  async *pass(id: string, offset: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const before = this.running.get(id);
    // known again only once the whole piece has arrived
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

  /** The digest of all `length` bytes, in hexadecimal, and forgets it; undefined where it is not known. */
  take(id: string, length: number): string | undefined {
    const digest = this.running.get(id);
    this.running.delete(id);
    return digest?.length === length ? digest.hash.digest('hex') : undefined;
  }

  forget(id: string): void {
    this.running.delete(id);
  }
}
