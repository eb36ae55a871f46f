import { Readable } from 'node:stream';
import type { DatasetUse, Visibility } from '@assay/contracts/datasets';
import type { TaskDefinition } from '@assay/contracts/tasks';
import type { BlobStore } from '@assay/storage';
import type { Model } from '@assay/submissions';
import { lockTask, type Round, type Task } from '@assay/tasks';
import type { BenchmarksService } from '@assay/tasks/benchmarks';
import { Dataset, type DatasetsService, DatasetVersion, type Intake, storeDataset } from '@assay/tasks/datasets';
import { WRITTEN_LINE } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../../annotating/annotation.js';
import { AnnotationRepository } from '../../annotating/annotation.repository.js';
import { outputValue } from '../../release/exported-annotation.js';
import { humanFigures } from '../../statistics/human-figures.js';
import { writtenInputs } from '../inputs.js';
import { RoundModel } from '../round-model.js';
import { type ReleasePart, RoundRelease } from '../round-release.js';
import { type Split, splitExamples, type SplittableExample } from './split-examples.js';

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
    const intake = await takeExamples(em, round, ids, (id) => splits.get(id)!, services.blobs);
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

/** The number of examples that are read from the database together. */
const BATCH = 500;

/**
 * An example that becomes data: validated, not retracted, its text not removed, and not a gold
 * check.
 */
interface ValidatedExample extends SplittableExample {
  readonly fooled: boolean | null;
}

/** Returns all validated examples of a round, in the order in which they were written. */
export async function validatedExamples(em: EntityManager, round: Round): Promise<ValidatedExample[]> {
  const rows = await new AnnotationRepository(em).validated(round.id, writtenInputs(round.task.definition));
  return rows.map(({ id, fooled, ...shared }) => ({
    id,
    fooled,
    marks: Object.entries(shared).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`])),
  }));
}

/** Stores examples as a dataset, in the order of `ids`, which must be sorted. */
export async function takeExamples(
  em: EntityManager,
  round: Round,
  ids: readonly string[],
  splitOf: (id: string) => Split | null,
  blobs: BlobStore,
): Promise<Intake> {
  const lines = Readable.from(exampleLines(em, round, ids, splitOf), { objectMode: false });
  const { intake } = await storeDataset(round.task.definition, lines, 'jsonl', blobs, { bounds: WRITTEN_LINE });
  return intake;
}

async function* exampleLines(
  em: EntityManager,
  round: Round,
  ids: readonly string[],
  splitOf: (id: string) => Split | null,
): AsyncGenerator<string> {
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = await em.find(
      Annotation,
      { id: { $in: ids.slice(start, start + BATCH) } },
      { populate: ['context', 'target'], orderBy: { id: 'asc' }, disableIdentityMap: true },
    );
    for (const annotation of batch) {
      yield `${JSON.stringify(frozenExample(round.task.definition, annotation, splitOf(annotation.id)))}\n`;
    }
  }
}

/**
 * Returns an annotation as a line of a dataset. Its metadata become fields, so that they can be
 * slices.
 */
function frozenExample(task: TaskDefinition, annotation: Annotation, split: Split | null): object {
  const { context, target } = annotation;
  const targets = targetsOf(annotation);
  return {
    fooled: annotation.fooled ?? null,
    condition: annotation.condition ?? null,
    target: target?.name ?? null,
    target_id: target?.id ?? null,
    ...(targets && { targets }),
    annotator: annotation.pseudonym,
    context_id: context?.externalId ?? null,
    tags: context ? [...context.tags] : [],
    attested: annotation.source === 'attested',
    ...(split && { split }),
    // on a name clash, the task's own fields win
    ...annotation.input,
    [task.output.name]: outputValue(task.output, annotation.label),
    id: annotation.id,
  };
}

/**
 * Returns the IDs of the models that an example was written against, sorted: none in an arm without
 * models. Null if they are not known, as for an example that was imported without a target model.
 */
export function targetsOf({
  answers,
  target,
  source,
}: Pick<Annotation, 'answers' | 'source'> & { readonly target?: Pick<Model, 'id'> | null | undefined }):
  readonly string[] | null {
  const targets = new Set([...answers.map(({ model }) => model), ...(target ? [target.id] : [])]);
  return targets.size === 0 && source === 'attested' ? null : [...targets].sort();
}
