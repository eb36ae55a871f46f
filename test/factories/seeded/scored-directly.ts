import type { Estimate, Measures } from '@assay/contracts/metrics';
import type { ModelKind } from '@assay/contracts/models';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Run } from '@assay/evaluation/runs';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import type { ApiWorld } from '../worlds/api-world.js';

export interface SubmittedModel {
  readonly slug: string;
  readonly token: string;
  readonly name: string;
  readonly kind?: ModelKind;
  readonly description?: string;
  /** Determines the artifact. Default: the task and the name. */
  readonly bytes?: string;
}

/** The results that an evaluator would have written for a model. */
export interface DirectScores {
  /** Values by metric name, the same on every dataset. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Offsets by dataset name, added to every metric. */
  readonly shift?: Readonly<Record<string, number>>;
  readonly measures?: Measures;
  /** The names of the datasets that are scored. Default: all. */
  readonly datasets?: readonly string[];
  readonly acceptedAt?: Date;
}

/**
 * Submits a model over HTTP and leaves it waiting for an evaluator.
 * @returns The id of the model.
 */
export async function submitted(world: ApiWorld, given: SubmittedModel): Promise<string> {
  const { slug, token, name, kind = 'container', description = '', bytes = `${slug} ${name}` } = given;
  const created = await world.call('POST', `/tasks/${slug}/models`, { token, body: { name, kind, description } });
  if (created.status !== 201) throw new Error(`${slug}, ${name}: ${JSON.stringify(created.body)}`);
  const id = created.body.id as string;
  const put = await world.call('PUT', `/models/${id}/artifact`, { token, body: bytes });
  if (put.status !== 202) throw new Error(`${slug}, ${name}: ${JSON.stringify(put.body)}`);
  return id;
}

/** Writes results to the queued evaluations of a model, without predictions. */
export async function scoreDirectly(world: ApiWorld, id: string, scores: DirectScores): Promise<void> {
  const em = world.orm.em.fork();
  const model = await em.findOneOrFail(Model, id, { populate: ['specification.artifact'] });
  const cells = await em.find(
    Evaluation,
    { specification: model.specification!.id, state: 'queued' },
    { populate: ['datasetVersion.dataset'] },
  );
  const { measures = {}, datasets } = scores;
  const isScored = ({ datasetVersion }: Evaluation): boolean =>
    datasets === undefined || datasets.includes(datasetVersion.dataset.name);
  for (const cell of cells.filter(isScored)) {
    const shift = scores.shift?.[cell.datasetVersion.dataset.name] ?? 0;
    const figures = Object.entries(scores.metrics).map(([name, value]) => [name, estimate(value + shift)] as const);
    const written = { metrics: Object.fromEntries(figures), measures, slices: {}, sliceSpreads: {} };
    Object.assign(cell, { state: 'scored', ...written, finishedAt: new Date() });
  }
  const isComplete = cells.every(isScored);
  if (isComplete) await markScored(world, id, scores.acceptedAt);
  await em.flush();
}

/** Puts a model into the state in which all of its evaluations are scored. */
export async function markScored(world: ApiWorld, id: string, acceptedAt?: Date): Promise<void> {
  const em = world.orm.em.fork();
  const model = await em.findOneOrFail(Model, id, { populate: ['specification'] });
  Object.assign(model, { state: 'scored', ...(acceptedAt && { acceptedAt, createdAt: acceptedAt }) });
  await em.flush();
  await em.nativeUpdate(Artifact, model.specification!.artifact.id, { state: 'admitted' });
  await endRuns(world, model.specification!.id, { state: 'done' });
}

/** Ends the runs of a specification as an evaluator does. */
export async function endRuns(
  world: ApiWorld,
  specification: string,
  as: Partial<Pick<Run, 'state' | 'failure' | 'log'>>,
): Promise<void> {
  const now = new Date();
  await world.orm.em.fork().nativeUpdate(Run, { specification }, { ...as, startedAt: now, finishedAt: now });
}

/** Adds costs to the scored evaluations of a model. */
export async function measure(world: ApiWorld, id: string, measures: Measures): Promise<void> {
  const em = world.orm.em.fork();
  const { specification } = await em.findOneOrFail(Model, id);
  await em.nativeUpdate(Evaluation, { specification: specification!.id, state: 'scored' }, { measures });
}

const estimate = (value: number): Estimate => ({ value, low: value - 0.03, high: value + 0.03, standardError: 0.015 });
