import type { EvaluationState, Failure, ModelKind, ModelState } from '@assay/contracts/models';
import type { RunState } from '../runs/run.js';

/** The cell of a model on one active dataset version. */
export interface CellFate {
  readonly state: EvaluationState;
  readonly failure: Failure | null;
}

/** The live run that fills the cells. */
export interface LiveRun {
  readonly stage: 'admission' | 'evaluation';
  readonly state: Extract<RunState, 'queued' | 'leased'>;
}

export interface ModelFate {
  readonly state: ModelState;
  readonly failure: Failure | null;
}

/**
 * Returns the state of a model, derived from its cells (in the order in which they finished) and
 * its live run. A predictions file need not cover every dataset: such a model with a scored and a
 * cancelled cell is scored.
 * @param refusal the reason why its artifact was refused, which applies while there is no cell
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
  // without a dataset there is nothing to score yet: the model stays queued
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
