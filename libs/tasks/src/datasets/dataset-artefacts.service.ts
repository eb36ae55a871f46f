import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DatasetArtefacts, MOST_LABEL_WORDS } from '@assay/contracts/facts';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { inTurns } from '@assay/scoring';
import { ClusterColumn, documentWords, labelWords, partialInputBaseline } from '@assay/scoring/artefacts';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { DatasetRow } from '../examples/dataset-rows.js';
import { clusteredRows } from '../examples/identical-inputs.js';
import type { Task } from '../task.js';
import type { DatasetVersion } from './dataset.js';
import { DatasetsService } from './datasets.service.js';

/** The largest number of examples that are read: about 2 s of work. */
const MOST_EXAMPLES = 20_000;
const CACHED_VERSIONS = 100;

/** Finds what the examples of a dataset give away about their labels. */
@Injectable()
export class DatasetArtefactsService {
  private readonly found = new LRUCache<string, Promise<DatasetArtefacts>>({ max: CACHED_VERSIONS });

  constructor(
    private readonly datasets: DatasetsService,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * Returns the artefacts of the active version of a dataset, or of the newest if none is active.
   * @throws DomainError `not_found` if the dataset does not exist or `principal` may not read its
   * gold; `no_single_label` if the task has another output or no text input
   */
  async of(principal: Principal | null, task: Task, name: string): Promise<DatasetArtefacts> {
    const versions = await this.datasets.readable(principal, task, name);
    const version = versions.find(({ status }) => status === 'active') ?? versions.at(-1)!;
    const inputs = textInputs(task.definition);
    if (task.definition.output.type !== 'label' || inputs.length === 0) {
      throw new DomainError(
        'invalid',
        'no_single_label',
        `"${task.slug}" has no text input with one label per example, so its datasets have no such artefacts.`,
      );
    }
    const known = this.found.get(version.id);
    if (known) return known;
    const finding = this.find(task, version, inputs);
    this.found.set(version.id, finding);
    // a failure, such as a damaged blob, is not remembered
    finding.catch(() => this.found.delete(version.id));
    return finding;
  }

  private async find(task: Task, version: DatasetVersion, inputs: readonly string[]): Promise<DatasetArtefacts> {
    const rows = await this.rows(task.definition, version);
    const [names, labels] = numbered(rows.map(({ gold }) => gold[0]!));
    const gold = { labels, count: names.length };
    const column = new ClusterColumn();
    for (const { cluster, secondCluster } of rows) column.add(cluster, secondCluster);
    const found: DatasetArtefacts = {
      task: task.slug,
      dataset: version.dataset.name,
      version: version.number,
      examples: rows.length,
      majority: Math.max(0, ...names.map((_, label) => labels.filter((each) => each === label).length)) / rows.length,
      inputs: [],
      words: [],
    };
    const instances = rows.map(({ instance }) => JSON.parse(instance) as Record<string, unknown>);
    for (const input of inputs) {
      const documents: string[][] = [];
      for (const instance of instances) {
        documents.push(documentWords(textOf(instance[input]), task.definition.language));
        if (documents.length % 200 === 0) await nextTurn();
      }
      const baseline = await inTurns(partialInputBaseline(documents, gold, column.clusters, version.digest), nextTurn);
      const { value, low, high } = baseline?.accuracy ?? { value: 0, low: null, high: null };
      found.inputs.push({
        input,
        accuracy: baseline && { value, low, high },
        aboveMajority: baseline && low !== null ? low > baseline.majority : null,
      });
      const words = await inTurns(labelWords(documents, gold), nextTurn);
      found.words.push(...words.map(({ label, ...word }) => ({ input, ...word, label: names[label]! })));
    }
    return { ...found, words: found.words.toSorted((a, b) => b.z - a.z).slice(0, MOST_LABEL_WORDS) };
  }

  private async rows(task: TaskDefinition, version: DatasetVersion): Promise<readonly DatasetRow[]> {
    const rows: DatasetRow[] = [];
    for await (const group of clusteredRows(
      task,
      () => this.blobs.open(version.content),
      version.repeats ?? null,
      version.dataset.collected,
    )) {
      rows.push(...group);
      if (rows.length >= MOST_EXAMPLES) break;
    }
    return rows.slice(0, MOST_EXAMPLES);
  }
}

const textInputs = ({ inputs }: TaskDefinition): readonly string[] =>
  inputs.filter(({ type }) => type === 'text').map(({ name }) => name);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the distinct values in the order of their appearance, and the number of each value. */
function numbered(values: readonly string[]): readonly [names: readonly string[], of: Int32Array] {
  const numbers = new Map([...new Set(values)].map((value, number) => [value, number]));
  return [[...numbers.keys()], Int32Array.from(values, (value) => numbers.get(value)!)];
}
