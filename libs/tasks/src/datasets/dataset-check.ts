import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type DatasetCheck, MOST_DATASET_PROBLEMS, SHOWN_EXAMPLES } from '@assay/contracts/datasets';
import { sliceFields, type TaskDefinition } from '@assay/contracts/tasks';
import { DomainError } from '@assay/kernel';
import { MOST_FIELDS } from './dataset-intake.js';
import { type DatasetFormat, records } from '../examples/dataset-records.js';
import { type Example, readUploaded, sliceValues } from '../examples/example.js';
import { SeenIds } from '../examples/seen-ids.js';
import { type OtherDataset, SeenInputs } from './duplicate-inputs.js';

type FieldUse = DatasetCheck['fields'][number]['use'];

/**
 * The largest number of distinct values of a field that are listed with counts. For more or longer
 * values, no values are listed.
 */
const MOST_VALUES = 50;
const LONGEST_VALUE = 100;
/** The length in characters at which a displayed text is cut. */
const LONGEST_TEXT = 2_000;

/**
 * Reads a whole dataset, including its invalid lines, and returns the findings. Stores nothing.
 * @throws DomainError if the dataset is too large
 */
export async function checkDataset(
  task: TaskDefinition,
  source: Readable,
  format: DatasetFormat,
  others: readonly OtherDataset[] = [],
): Promise<Omit<DatasetCheck, 'sameAs'>> {
  const found = new FoundDataset(task);
  const hash = createHash('sha256');
  let isWhole = true;
  try {
    for await (const line of records(source, hash, format, task)) {
      const outcome =
        'why' in line ? { ok: false as const, why: line.why } : readUploaded(task, line.record, line.place);
      if (outcome.ok) found.add(line.place, outcome.example);
      else found.refuse(line.place, outcome.why);
    }
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind === 'too-large') throw error;
    isWhole = false;
    found.stop(error);
  }
  return found.told(isWhole ? hash.digest('hex') : null, others);
}

class FoundDataset {
  private readonly ids = new SeenIds();
  private readonly inputs: SeenInputs;
  private readonly fields = new Map<string, { examples: number; values: Map<string, number> | null }>();
  private readonly labels;
  private readonly first: DatasetCheck['first'] = [];
  private readonly problems: DatasetCheck['problems'] = [];
  private allProblems = 0;

  constructor(private readonly task: TaskDefinition) {
    const { output } = task;
    this.inputs = new SeenInputs(task);
    this.labels = output.type === 'label' ? new Map(output.labels.map((label) => [label, 0])) : null;
  }

  add(line: number, example: Example): void {
    const { id, gold, fields } = example;
    if (!this.ids.add(id)) {
      this.refuse(line, `the id "${id}" already occurs on an earlier line`);
      return;
    }
    this.inputs.add(example);
    for (const [name, value] of Object.entries(fields)) this.count(name, value);
    this.labels?.set(gold[0]!, (this.labels.get(gold[0]!) ?? 0) + 1);
    if (this.first.length >= SHOWN_EXAMPLES) return;
    const shown = Object.entries(fields).map(([name, value]) => [name, shortened(value)] as const);
    this.first.push({ line, id, gold: [...gold], fields: Object.fromEntries(shown) });
  }

  refuse(line: number | null, message: string): void {
    this.allProblems++;
    if (this.problems.length < MOST_DATASET_PROBLEMS) this.problems.push({ line, message });
  }

  /** Adds the error that makes the rest of the file unreadable. */
  stop({ problems: [problem], message }: DomainError): void {
    const line = /^line (\d+)$/.exec(problem?.path ?? '')?.[1];
    this.refuse(line === undefined ? null : Number(line), line === undefined ? message : problem!.message);
  }

  async told(digest: string | null, others: readonly OtherDataset[]): Promise<Omit<DatasetCheck, 'sameAs'>> {
    if (this.ids.size === 0 && this.allProblems === 0) this.refuse(null, 'The dataset has no examples.');
    const duplicates = await this.inputs.report(others);
    return {
      valid: this.allProblems === 0,
      digest,
      examples: this.ids.size,
      problems: this.problems,
      allProblems: this.allProblems,
      warnings: this.ids.size === 0 ? [] : [...this.warnings(), ...duplicates.sentences],
      duplicates,
      fields: Array.from(this.fields, ([name, { examples, values }]) => ({
        name,
        use: this.useOf(name),
        examples,
        ...(values && { values: Object.fromEntries(values) }),
      })),
      ...(this.labels && { labels: Object.fromEntries(this.labels) }),
      first: this.first,
    };
  }

  private count(name: string, value: unknown): void {
    const known = this.fields.get(name);
    if (!known && this.fields.size >= MOST_FIELDS) return;
    const field = known ?? { examples: 0, values: new Map<string, number>() };
    this.fields.set(name, field);
    field.examples++;
    if (!field.values) return;
    const values = sliceValues(value);
    for (const each of values) field.values.set(each, (field.values.get(each) ?? 0) + 1);
    const isLong = values.length === 0 || values.some((each) => each.length > LONGEST_VALUE);
    if (isLong || field.values.size > MOST_VALUES) field.values = null;
  }

  private warnings(): string[] {
    const { slices, cluster, aggregate } = this.task;
    const named = sliceFields({ slices }).flatMap(({ field, match }) =>
      match === undefined ? [field] : [field, match],
    );
    const absent = [...new Set([...named, ...(cluster === undefined ? [] : [cluster])])].filter(
      (name) => !this.fields.has(name) && this.fields.size < MOST_FIELDS,
    );
    const bare = Array.from(this.labels ?? []).flatMap(([label, n]) => (n === 0 ? [label] : []));
    const few = this.ids.size < aggregate.minimumExamples;
    return [
      ...absent.map((name) => `No example has the field "${name}", which slices or clusters of the task use.`),
      ...bare.map((label) => `No example has the gold label "${label}".`),
      ...(few
        ? [
            `It has ${this.ids.size} examples. ` +
              `A dataset with fewer than ${aggregate.minimumExamples} is shown and does not rank.`,
          ]
        : []),
    ];
  }

  private useOf(name: string): FieldUse {
    const { inputs, output, slices, cluster } = this.task;
    if (name === output.name) return 'gold';
    if (inputs.some((input) => input.name === name)) return 'input';
    if (sliceFields({ slices }).some(({ field }) => field === name)) return 'slice';
    if (name === cluster) return 'cluster';
    if (sliceFields({ slices }).some(({ match }) => match === name)) return 'match';
    return name === 'id' || name === 'uid' ? 'id' : 'other';
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > LONGEST_TEXT ? `${copied(value.slice(0, LONGEST_TEXT))}…` : value;
  const { length } = JSON.stringify(value) ?? '';
  return length > LONGEST_TEXT ? `… ${length} characters` : value;
}

/**
 * Returns a copy of a substring. A substring keeps its whole parent string in memory; a copy does
 * not.
 */
const copied = (part: string): string => Buffer.from(part).toString();
