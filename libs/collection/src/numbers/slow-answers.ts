import { LRUCache } from 'lru-cache';

/** Milliseconds. What took longer is kept for a while. */
const SLOW = 250;
const KEPT_FOR_ITS_TIME = 10;

/** What is asked for at once is made once; what took long is kept for ten times as long. What is quick is always made anew. */
export class SlowAnswers<T extends object> {
  private readonly kept: LRUCache<string, T>;
  private readonly underWay = new Map<string, Promise<T>>();

  /** @param size what an answer takes of `most` */
  constructor(most: number, size: (answer: T) => number) {
    this.kept = new LRUCache({ maxSize: most, sizeCalculation: size });
  }

  async get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.kept.get(key) ?? this.underWay.get(key);
    if (known) return known;
    const made = this.make(key, make).finally(() => this.underWay.delete(key));
    this.underWay.set(key, made);
    return made;
  }

  private async make(key: string, make: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const answer = await make();
    const took = performance.now() - start;
    if (took > SLOW) this.kept.set(key, answer, { ttl: Math.ceil(took * KEPT_FOR_ITS_TIME) });
    return answer;
  }
}
