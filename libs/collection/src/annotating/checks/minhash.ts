import { createHash } from 'node:crypto';

const SHINGLE = 4;
const BANDS = 16;
const ROWS = 5;

/** The text as near-duplicates share it: small letters and digits of any script, one space between words. */
export function comparable(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}

/** All pieces of four characters of a comparable text, its ends padded so that short texts have some too. */
export function shingles(text: string): ReadonlySet<string> {
  const characters = Array.from(` ${comparable(text)} `);
  const found = new Set<string>();
  for (let at = 0; at + SHINGLE <= characters.length; at++) found.add(characters.slice(at, at + SHINGLE).join(''));
  if (found.size === 0) found.add(characters.join(''));
  return found;
}

/** Jaccard's index of two sets. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const each of a) if (b.has(each)) both++;
  const all = a.size + b.size - both;
  return all === 0 ? 1 : both / all;
}

/**
 * Keys of which near-duplicates share at least one: 16 bands of 5 min-hashes of the shingles (Broder 1997; Leskovec, Rajaraman & Ullman,
 * Mining of Massive Datasets, 3.4). Texts with Jaccard's index 0.8 share one in 99.8 % of cases, with 0.3 in 4 %.
 * @param scope what the keys are of: those of two scopes never meet
 */
export function bandsOf(text: string, scope: string): string[] {
  const minima = new Uint32Array(BANDS * ROWS).fill(0xffffffff);
  for (const shingle of shingles(text)) {
    const hash = hash32(shingle);
    for (let index = 0; index < minima.length; index++) {
      const mixed = mix(hash, index);
      if (mixed < minima[index]!) minima[index] = mixed;
    }
  }
  return Array.from({ length: BANDS }, (_, band) => {
    const rows = minima.subarray(band * ROWS, (band + 1) * ROWS);
    return createHash('sha256').update(`${scope}\n${band}\n${rows.join()}`).digest('base64url').slice(0, 16);
  });
}

/** FNV-1a. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** One of many independent hashes of a hash: the finaliser of MurmurHash3, seeded. */
function mix(hash: number, seed: number): number {
  let state = (hash ^ Math.imul(seed + 1, 0x9e3779b9)) >>> 0;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
