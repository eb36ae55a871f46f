import { createHash } from 'node:crypto';
import type { SplitShares } from '@assay/contracts/collection';

export type Split = 'train' | 'dev' | 'test';

/** An example to split, with its marks: examples that share a mark go into the same split. */
export interface SplittableExample {
  readonly id: string;
  /**
   * Names of what it shares with other examples: its context, the inputs that the context gives,
   * the example it was made from.
   */
  readonly marks: readonly string[];
}

/**
 * Assigns every example to a split, so that examples connected by shared marks, directly or through
 * other examples, are in the same split. Distributes whole groups in an order determined by `seed`:
 * first to test, then to dev, each until it has its share, and the rest to train. Deterministic for
 * the same examples and seed. If there is any example and test has a share, test gets at least one.
 */
export function splitExamples(
  examples: readonly SplittableExample[],
  shares: SplitShares,
  seed: string,
): ReadonlyMap<string, Split> {
  const groups = groupsOf(examples)
    .map((ids) => ({ ids, place: createHash('sha256').update(`${seed}\n${ids[0]}`).digest('hex') }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1));
  const splits = new Map<string, Split>();
  for (const { ids } of groups) {
    const split = splitAt(splits.size / examples.length, shares);
    for (const id of ids) splits.set(id, split);
  }
  return splits;
}

/** @param passed the share of examples that already have a split */
function splitAt(passed: number, { test, dev, train }: SplitShares): Split {
  if (passed < test) return 'test';
  if (passed < test + dev) return 'dev';
  if (train > 0) return 'train';
  return dev > 0 ? 'dev' : 'test';
}

/** Returns the IDs of connected examples, each group sorted. Union-find over the marks. */
function groupsOf(examples: readonly SplittableExample[]): string[][] {
  const parent = new Map<string, string>();
  const root = (name: string): string => {
    let top = name;
    for (let above = parent.get(top); above !== undefined && above !== top; above = parent.get(top)) top = above;
    for (let each = name; each !== top;) {
      const above = parent.get(each)!;
      parent.set(each, top);
      each = above;
    }
    return top;
  };
  for (const { id, marks } of examples) {
    const names = [`example ${id}`, ...marks];
    for (const name of names) if (!parent.has(name)) parent.set(name, name);
    for (const name of names.slice(1)) parent.set(root(name), root(names[0]!));
  }
  const groups = Map.groupBy(examples, ({ id }) => root(`example ${id}`));
  return Array.from(groups.values(), (group) => group.map(({ id }) => id).sort());
}
