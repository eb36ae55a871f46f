import type { RankFamily } from '@assay/scoring/ranks';

/** The rank intervals of a revision under the task's own weights, as they are stored with it. */
export interface StoredRanks {
  readonly ranks: RankFamily['ranks'];
  /** Which places are separated, in base64: bit `one * ranks.length + other`, the lowest bit of a byte first. */
  readonly separated: string;
}

/** Returns a family as it is stored. `familyOf` returns it again. */
export function storedRanks(family: RankFamily): StoredRanks {
  const { ranks } = family;
  const count = ranks.length;
  const bits = new Uint8Array(Math.ceil((count * count) / 8));
  for (let one = 0; one < count; one++) {
    for (let other = 0; other < count; other++) {
      const at = one * count + other;
      if (family.isSeparated(one, other)) bits[at >> 3]! |= 1 << (at & 7);
    }
  }
  return { ranks, separated: Buffer.from(bits).toString('base64') };
}

export function familyOf({ ranks, separated }: StoredRanks): RankFamily {
  const bits = Buffer.from(separated, 'base64');
  const isSeparated = (one: number, other: number): boolean => {
    const at = one * ranks.length + other;
    return (bits[at >> 3]! & (1 << (at & 7))) !== 0;
  };
  return { ranks, isSeparated };
}
