import type { Estimate, Evaluation, Failure } from '@assay/api-client/angular';
import { metricName } from '../ui/terms/terms.js';
import type { DatasetProgress, ModelEvent, Perturbation } from './model-events.js';

/** The progress of one evaluation: of a dataset, or of its perturbed version. */
export interface ProgressRow {
  /** Unique among the rows of a model. */
  readonly key: string;
  readonly dataset: string;
  readonly perturbation?: Perturbation;
  readonly state: Evaluation['state'];
  /** The number of examples answered, out of `total`. */
  readonly done: number;
  readonly total: number;
  /** Present while the evaluation runs. */
  readonly examplesPerSecond?: number;
  /** Milliseconds until the remaining examples are answered at the current rate. */
  readonly left?: number;
  /** Metrics by name, once the evaluation is scored. */
  readonly metrics?: Readonly<Record<string, Estimate>>;
  readonly failure?: Failure;
}

/** The events received since the model was loaded, by row key. */
export interface Heard {
  readonly progress: ReadonlyMap<string, DatasetProgress>;
  readonly scores: ReadonlyMap<string, Readonly<Record<string, Estimate>>>;
}

export const NOTHING_HEARD: Heard = { progress: new Map(), scores: new Map() };

type Named = { readonly dataset: string; readonly perturbation?: Perturbation | undefined };

export const rowKey = ({ dataset, perturbation }: Named): string => `${dataset} ${perturbation ?? ''}`;

/** Returns the display name of an evaluation's examples: the dataset, or its perturbed version. */
export const examplesTitle = ({ dataset, perturbation }: Named): string =>
  perturbation === undefined ? dataset : `${dataset} · ${metricName(perturbation)}`;

export function hear(heard: Heard, event: ModelEvent): Heard {
  switch (event.type) {
    case 'state':
      return heard;
    case 'progress':
      return { ...heard, progress: new Map(heard.progress).set(rowKey(event), event) };
    case 'score':
      return { ...heard, scores: new Map(heard.scores).set(rowKey(event), event.metrics) };
  }
}

/** Returns a row for each evaluation of the model, in the API's order. */
export function progressRows(evaluations: readonly Evaluation[], heard: Heard): readonly ProgressRow[] {
  return evaluations.map((evaluation) => {
    const { dataset, perturbation, examples, failure } = evaluation;
    const key = rowKey(evaluation);
    const score = heard.scores.get(key);
    const state = stateOf(evaluation, heard);
    const progress = state === 'running' ? heard.progress.get(key) : undefined;
    const metrics = evaluation.state === 'scored' ? evaluation.metrics : score;
    return {
      key,
      dataset,
      ...(perturbation && { perturbation }),
      state,
      done: state === 'scored' ? examples : (progress?.done ?? 0),
      total: progress?.total ?? examples,
      ...speedOf(progress),
      ...(state === 'scored' && metrics && { metrics }),
      ...(failure && { failure }),
    };
  });
}

/**
 * Returns the state of an evaluation. Events arrive before the model is reloaded, so they override
 * what was loaded.
 */
function stateOf(evaluation: Evaluation, heard: Heard): Evaluation['state'] {
  if (evaluation.state !== 'queued' && evaluation.state !== 'running') return evaluation.state;
  const key = rowKey(evaluation);
  if (heard.scores.has(key)) return 'scored';
  return heard.progress.has(key) ? 'running' : evaluation.state;
}

function speedOf(progress: DatasetProgress | undefined): Pick<ProgressRow, 'examplesPerSecond' | 'left'> {
  if (!progress || progress.examplesPerSecond <= 0) return {};
  const { done, total, examplesPerSecond } = progress;
  return { examplesPerSecond, left: ((total - done) / examplesPerSecond) * 1000 };
}

/**
 * Estimates the milliseconds until all examples are answered. Uses the slowest known rate, because
 * datasets with longer texts may follow. Undefined before the first answer and after the last.
 */
export function timeLeft(rows: readonly ProgressRow[]): number | undefined {
  const speeds = rows.flatMap(({ examplesPerSecond }) => examplesPerSecond ?? []);
  const open = rows.filter(({ state }) => state === 'queued' || state === 'running');
  const examples = open.reduce((sum, { done, total }) => sum + total - done, 0);
  return speeds.length > 0 && examples > 0 ? (examples / Math.min(...speeds)) * 1000 : undefined;
}
