import { LRUCache } from 'lru-cache';

/** Milliseconds from which an answer is slow, and therefore cached. */
const SLOW = 250;
const CACHED_TIMES = 10;

/**
 * Shares concurrent computations of the same key, and caches slow answers for ten times as long as
 * they took. Fast answers are computed on every request.
 */
export class SlowAnswers<T extends object> {
  private readonly cache: LRUCache<string, T>;
  private readonly underWay = new Map<string, Promise<T>>();

  /**
   * @param most the total size of the cache
   * @param size returns the size of an answer
   */
  constructor(most: number, size: (answer: T) => number) {
    this.cache = new LRUCache({ maxSize: most, sizeCalculation: size });
  }

  async get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.cache.get(key) ?? this.underWay.get(key);
    if (known) return known;
    const made = this.make(key, make).finally(() => this.underWay.delete(key));
    this.underWay.set(key, made);
    return made;
  }

  private async make(key: string, make: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const answer = await make();
    const took = performance.now() - start;
    if (took > SLOW) this.cache.set(key, answer, { ttl: Math.ceil(took * CACHED_TIMES) });
    return answer;
  }
}
