import { LRUCache } from 'lru-cache';

/** Milliseconds from which an answer is slow. */
const SLOW = 250;
const CACHED_TIMES = 10;

interface CachedAnswer<T> {
  readonly answer: T;
  /** The version of the data that it was computed from. */
  readonly version: string;
  /** The time until which a slow answer is returned whatever the version, as of `performance.now()`. */
  readonly until: number;
}

/**
 * Caches answers until the version of their data changes, and shares concurrent computations of the
 * same key. A slow answer is returned for some multiple of the time it took, even if its data change, so
 * that a round with many changes is not counted again and again.
 */
export class SlowAnswers<T extends object> {
  private readonly cache: LRUCache<string, CachedAnswer<T>>;
  private readonly underWay = new Map<string, Promise<T>>();

  /**
   * @param most the total size of the cache
   * @param size returns the size of an answer
   * @param times how many times as long as it took a slow answer is returned whatever its version
   */
  constructor(
    most: number,
    size: (answer: T) => number,
    private readonly times = CACHED_TIMES,
  ) {
    this.cache = new LRUCache({ maxSize: most, sizeCalculation: ({ answer }) => size(answer) });
  }

  /** @param version reads the version of the data that `make` computes the answer from */
  async get(key: string, version: () => Promise<string>, make: () => Promise<T>): Promise<T> {
    const cached = this.cache.get(key);
    if (cached && performance.now() < cached.until) return cached.answer;
    const known = this.underWay.get(key);
    if (known) return known;
    const found = this.find(key, version, make).finally(() => this.underWay.delete(key));
    this.underWay.set(key, found);
    return found;
  }

  private async find(key: string, versionOf: () => Promise<string>, make: () => Promise<T>): Promise<T> {
    // read before the data, so that a change in between makes the answer too new, never too old
    const version = await versionOf();
    const cached = this.cache.get(key);
    if (cached?.version === version) return cached.answer;
    const start = performance.now();
    const answer = await make();
    const end = performance.now();
    const took = end - start;
    this.cache.set(key, { answer, version, until: took > SLOW ? end + took * this.times : end });
    return answer;
  }
}
