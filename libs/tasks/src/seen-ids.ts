import { hash } from 'node:crypto';
import { DomainError } from '@assay/kernel';

/** Examples that a dataset may have. */
export const MOST_EXAMPLES = 2_000_000;
/** Words of 32 bits for each id. */
const WORDS = 4;

/** Ids that were seen, as 128 bits of their sha256: 16 bytes outside of the heap for each, however long it is. */
export class SeenIds {
  size = 0;
  private words = new Uint32Array(1024 * WORDS);

  constructor(private readonly most = MOST_EXAMPLES) {}

  /** @returns false where it was there. @throws DomainError `dataset_too_large` */
  add(id: string): boolean {
    const digest = digestOf(id);
    const place = placeOf(this.words, digest);
    if (this.words[place] !== 0) return false;
    if (this.size >= this.most) throw tooMany(this.most);
    this.words.set(digest, place);
    this.size++;
    if (2 * this.size * WORDS > this.words.length) this.grow();
    return true;
  }

  has(id: string): boolean {
    return this.words[placeOf(this.words, digestOf(id))] !== 0;
  }

  private grow(): void {
    const larger = new Uint32Array(2 * this.words.length);
    for (let place = 0; place < this.words.length; place += WORDS) {
      const digest = this.words.subarray(place, place + WORDS);
      if (digest[0] !== 0) larger.set(digest, placeOf(larger, digest));
    }
    this.words = larger;
  }
}

/** The first word is never 0, which is that of a place where nothing is. */
function digestOf(id: string): Uint32Array {
  const bytes = hash('sha256', id, 'buffer');
  const word = (place: number): number => bytes.readUInt32LE(place * 4);
  return Uint32Array.of(word(0) || 1, word(1), word(2), word(3));
}

/** Where the digest is in `words`, or has its place: half of them are free. */
function placeOf(words: Uint32Array, digest: Uint32Array): number {
  const places = words.length / WORDS;
  for (let n = digest[1]! % places; ; n = (n + 1) % places) {
    const place = n * WORDS;
    if (words[place] === 0) return place;
    if (digest.every((word, index) => words[place + index] === word)) return place;
  }
}

const tooMany = (most: number): DomainError =>
  new DomainError('too-large', 'dataset_too_large', `A dataset may have ${most.toLocaleString('en-US')} examples.`);
