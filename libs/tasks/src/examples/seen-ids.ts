import { hash } from 'node:crypto';
import { DomainError } from '@assay/kernel';

/** The largest number of examples in a dataset. */
const MOST_EXAMPLES = 2_000_000;
/** 32-bit words per id. */
const WORDS = 4;

/**
 * A set of ids, stored outside the heap as 128 bits of their sha256 in a hash table with open
 * addressing. Each id takes 32 to 64 bytes, whatever its length.
 */
export class SeenIds {
  size = 0;
  private words = new Uint32Array(1024 * WORDS);

  constructor(private readonly most = MOST_EXAMPLES) {}

  /**
   * Adds an id.
   * @returns false if it was already present @throws DomainError `dataset_too_large`
   */
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

/**
 * Returns the first 128 bits of the id's sha256. The first word is never 0, which marks a free
 * slot.
 */
function digestOf(id: string): Uint32Array {
  const bytes = hash('sha256', id, 'buffer');
  const word = (place: number): number => bytes.readUInt32LE(place * 4);
  return Uint32Array.of(word(0) || 1, word(1), word(2), word(3));
}

/**
 * Returns the index in `words` of the digest, or of the free slot for it. At least half of the
 * slots are always free.
 */
function placeOf(words: Uint32Array, digest: Uint32Array): number {
  const places = words.length / WORDS;
  for (let n = digest[1]! % places; ; n = (n + 1) % places) {
    const place = n * WORDS;
    if (words[place] === 0) return place;
    if (digest.every((word, index) => words[place + index] === word)) return place;
  }
}

const tooMany = (most: number): DomainError =>
  new DomainError(
    'too-large',
    'dataset_too_large',
    `The dataset has too many examples. The limit is ${most.toLocaleString('en-US')}.`,
  );
