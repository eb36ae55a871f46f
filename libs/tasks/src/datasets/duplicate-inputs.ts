import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { DatasetPut } from '@assay/contracts/datasets';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { count } from '@assay/contracts/text';
import { DomainError } from '@assay/kernel';
import { type Example, inputsOf } from '../examples/example.js';
import { datasetRows, DatasetUnreadable } from '../examples/dataset-rows.js';
import { SeenIds } from '../examples/seen-ids.js';

export type DuplicateInputs = NonNullable<DatasetPut['duplicates']>;
type Found = Pick<DuplicateInputs, 'examples' | 'conflicting' | 'first'>;

/** A stored dataset version that an upload is compared with. */
export interface OtherDataset {
  readonly name: string;
  readonly version: number;
  readonly open: () => Readable;
}

/** The number of distinct inputs whose IDs and gold are held in memory. Later ones are only counted. */
const MOST_INPUTS = 100_000;
/** The number of pairs that a report names. */
const MOST_PAIRS = 20;
const MOST_GOLD = 3;
const LONGEST_GOLD = 100;

interface FirstExample {
  readonly id: string;
  readonly gold: readonly string[];
  /** The hash of all gold answers in alphabetic order. */
  readonly goldHash: string;
}

/** Finds examples with identical inputs, within an upload and in the other datasets of its task. */
export class SeenInputs {
  private readonly all = new SeenIds();
  private readonly firsts = new Map<string, FirstExample>();
  private readonly within = new Pairs();

  constructor(private readonly task: TaskDefinition) {}

  /** The number of examples whose inputs are those of an earlier example. */
  get repeats(): number {
    return this.within.examples;
  }

  /** Adds the next example of the upload. */
  add({ id, gold, fields }: Example): void {
    const instance = JSON.stringify(inputsOf(this.task, fields));
    const isNew = this.all.add(instance);
    const example = firstExample(id, gold);
    if (!isNew) this.within.add(example, this.firsts.get(keyOf(instance)));
    else if (this.firsts.size < MOST_INPUTS) this.firsts.set(keyOf(instance), example);
  }

  /**
   * Returns the duplicates within the upload, and the inputs that it shares with each of `others`.
   * Leaves out those that cannot be read, for example because the task has changed since.
   */
  async report(others: readonly OtherDataset[]): Promise<DuplicateInputs> {
    const elsewhere: DuplicateInputs['elsewhere'] = [];
    for (const other of others) {
      const pairs = await this.sharedWith(other);
      if (pairs && pairs.examples > 0)
        elsewhere.push({ dataset: other.name, version: other.version, ...pairs.found() });
    }
    const within = this.within.found();
    const sentences = [
      ...sentence(within, 'the inputs of an earlier example'),
      ...elsewhere.flatMap((each) => sentence(each, `inputs of the dataset "${each.dataset}"`)),
    ];
    return { ...within, elsewhere, sentences };
  }

  private async sharedWith({ open }: OtherDataset): Promise<Pairs | null> {
    const pairs = new Pairs();
    try {
      for await (const rows of datasetRows(this.task, open())) {
        for (const { id, gold, instance } of rows) {
          if (!this.all.has(instance)) continue;
          pairs.add(this.firsts.get(keyOf(instance)), firstExample(id, gold));
        }
      }
    } catch (error) {
      if (error instanceof DatasetUnreadable || isBlobMissing(error)) return null;
      throw error;
    }
    return pairs;
  }
}

const isBlobMissing = (error: unknown): boolean => error instanceof DomainError && error.code === 'blob_missing';

/** Pairs of examples with identical inputs: their number, and the first of them by name. */
class Pairs {
  examples = 0;
  private conflicting = 0;
  private readonly alike: Found['first'] = [];
  private readonly unlike: Found['first'] = [];

  /** Adds a pair. One side is undefined if it is not held in memory; the pair is then only counted. */
  add(one: FirstExample | undefined, other: FirstExample | undefined): void {
    this.examples++;
    if (!one || !other) return;
    const isConflict = one.goldHash !== other.goldHash;
    if (isConflict) this.conflicting++;
    const pairs = isConflict ? this.unlike : this.alike;
    if (pairs.length >= MOST_PAIRS) return;
    const gold = isConflict && { gold: [...one.gold], otherGold: [...other.gold] };
    pairs.push({ id: one.id, other: other.id, ...gold });
  }

  found(): Found {
    const { examples, conflicting } = this;
    return { examples, conflicting, first: [...this.unlike, ...this.alike].slice(0, MOST_PAIRS) };
  }
}

function sentence({ examples, conflicting, first: [first] }: Found, what: string): string[] {
  if (examples === 0) return [];
  const all = `${examples === 1 ? 'One example has' : `${count(examples)} examples have`} ${what}`;
  if (!first?.gold || !first.otherGold) return [`${all}.`];
  const golds = [first.gold, first.otherGold].map((gold) => gold.map((each) => `"${each}"`).join(' or '));
  const pair = `${first.id} has ${golds[0]}, ${first.other} has ${golds[1]}`;
  return [`${all}; ${count(conflicting)} of them with other gold, for example: ${pair}.`];
}

const firstExample = (id: string, gold: readonly string[]): FirstExample => ({
  id,
  gold: gold.slice(0, MOST_GOLD).map((each) => copied(each.slice(0, LONGEST_GOLD))),
  goldHash: keyOf(JSON.stringify(gold.toSorted())),
});

const keyOf = (text: string): string => hash('sha256', text, 'base64').slice(0, 22);

/** Returns a copy of a substring, which does not keep the whole string in memory. */
const copied = (part: string): string => Buffer.from(part).toString();
