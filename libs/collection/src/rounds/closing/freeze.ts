import { Readable } from 'node:stream';
import type { DatasetUse, Visibility } from '@assay/contracts/datasets';
import type { BlobStore } from '@assay/storage';
import { lockTask, type Round, type Task } from '@assay/tasks';
import { type BenchmarksService } from '@assay/tasks/benchmarks';
import { Dataset, DatasetVersion, type DatasetsService, takeDataset } from '@assay/tasks/datasets';
import { WRITTEN_LINE } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AnnotationRepository } from '../../annotating/annotation.repository.js';
import { humanFigures } from '../../statistics/human-figures.js';
import { RoundModel } from '../round-model.js';
import { type ReleasePart, RoundRelease } from '../round-release.js';
import { exampleLines, validatedExamples } from './frozen-examples.js';
import { splitExamples } from './split-examples.js';

export interface FreezeServices {
  readonly datasets: DatasetsService;
  readonly benchmarks: BenchmarksService;
  readonly blobs: BlobStore;
}

interface Part {
  readonly part: ReleasePart;
  /** Null if the part is published and never evaluated. */
  readonly dataset: { readonly use: DatasetUse; readonly visibility: Visibility } | null;
}

const PARTS: readonly Part[] = [
  { part: 'test', dataset: { use: 'scoring', visibility: 'hidden' } },
  { part: 'dev', dataset: { use: 'reporting', visibility: 'public' } },
  { part: 'fooling', dataset: { use: 'reporting', visibility: 'hidden' } },
  { part: 'train', dataset: null },
];

/**
 * Returns the name of the dataset of the validated examples so far, of a round with a saturation
 * rule.
 */
export const soFarName = (round: Pick<Round, 'number'>): string => `r${round.number}-so-far`;

/**
 * Freezes the validated examples of a round as datasets, and activates them in a new benchmark
 * version. Makes no dataset for an empty part. Runs in a transaction that has locked the round.
 */
export async function freezeRound(em: EntityManager, round: Round, services: FreezeServices): Promise<void> {
  const examples = await validatedExamples(em, round);
  const splits = splitExamples(examples, round.settings!.shares, round.id);
  const isIn: Readonly<Record<ReleasePart, (example: (typeof examples)[number]) => boolean>> = {
    train: ({ id }) => splits.get(id) === 'train',
    dev: ({ id }) => splits.get(id) === 'dev',
    test: ({ id }) => splits.get(id) === 'test',
    fooling: ({ id, fooled }) => splits.get(id) === 'test' && fooled === true,
  };
  const task = await lockTask(em, round.task);
  const against = await modelsOf(em, round);
  const people = { all: await humanFigures(em, round), fooling: await humanFigures(em, round, 'fooling') };
  const coming: DatasetVersion[] = [];
  for (const { part, dataset } of PARTS) {
    const ids = examples.filter(isIn[part]).map(({ id }) => id);
    if (ids.length === 0) continue;
    const lines = Readable.from(
      exampleLines(em, round, ids, (id) => splits.get(id)!),
      { objectMode: false },
    );
    const intake = await takeDataset(task.definition, lines, 'jsonl', services.blobs, { bounds: WRITTEN_LINE });
    const name = dataset && (await freeName(em, task, `r${round.number}-${part}`));
    if (name !== null) {
      const kind = { role: 'round' as const, round: round.number, ...dataset!, against };
      const { version } = await services.datasets.keep(em, task, name, kind, intake);
      version.human = people[part === 'fooling' ? 'fooling' : 'all'];
      coming.push(version);
    }
    em.create(RoundRelease, { round, part, dataset: name, examples: ids.length, content: intake.content });
  }
  await new AnnotationRepository(em).setSplits(splits);
  const soFar = await em.find(
    DatasetVersion,
    { dataset: { task, name: soFarName(round), round: round.number }, status: ['active', 'proposed'] },
    { populate: ['dataset'] },
  );
  if (coming.length === 0 && soFar.length === 0) return;
  const released = await services.benchmarks.replace(em, task, coming, soFar);
  if (coming.length > 0) round.benchmarkVersion = released.number;
}

/** Returns the IDs of all models that were in the loop of the round at any time, sorted. */
export async function modelsOf(em: EntityManager, round: Round): Promise<readonly string[]> {
  const models = await em.find(RoundModel, { round });
  return [...new Set(models.map(({ model }) => model.id))].sort();
}

/**
 * Returns `wanted`, or the first free name `wanted-2`, `wanted-3`, …, because an owner may have
 * uploaded a dataset with that name.
 */
async function freeName(em: EntityManager, task: Task, wanted: string): Promise<string> {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if ((await em.count(Dataset, { task, name })) === 0) return name;
  }
}
