import type { EvaluationState, Failure, ModelKind, ModelState } from '@assay/contracts';
import type { RunState } from './run.js';

/** The cell of a model on one active dataset version. */
export interface CellFate {
  readonly state: EvaluationState;
  readonly failure: Failure | null;
}

/** The run that fills the cells now, where there is one. */
export interface LiveRun {
  readonly stage: 'admission' | 'evaluation';
  readonly state: Extract<RunState, 'queued' | 'leased'>;
}

export interface ModelFate {
  readonly state: ModelState;
  readonly failure: Failure | null;
}

/**
 * The state of a model, from its cells (in the order in which they ended) and its live run. A file of predictions need not cover every
 * dataset, so for that kind a cancelled cell beside a scored one leaves the model scored.
 * @param refusal why its artifact was refused, which decides where there is no cell yet
 */
export function modelFate(
  kind: ModelKind,
  cells: readonly CellFate[],
  run: LiveRun | null,
  refusal: Failure | null,
): ModelFate {
  if (run) return { state: liveState(run), failure: null };

  const failed = cells.find((cell) => cell.state === 'failed');
  if (failed) return { state: 'failed', failure: failed.failure };
  if (cells.length === 0 && refusal) return { state: 'failed', failure: refusal };
  // without a dataset there is nothing to score yet: it waits
  if (cells.length === 0 || cells.some((cell) => cell.state === 'queued' || cell.state === 'running')) {
    return { state: 'queued', failure: null };
  }
  const cancelled = cells.find((cell) => cell.state === 'cancelled');
  if (!cancelled || (kind === 'predictions' && cells.some((cell) => cell.state === 'scored'))) {
    return { state: 'scored', failure: null };
  }
  return { state: 'cancelled', failure: cancelled.failure };
}

function liveState(run: LiveRun): ModelState {
  if (run.stage === 'admission') return 'admitting';
  return run.state === 'leased' ? 'running' : 'queued';
}
