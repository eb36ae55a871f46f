import type { Evaluation } from '@assay/api-client/fetch';
import { examplesTitle } from './dataset-text.js';
import { count, estimateText, percent } from './numbers.js';
import { right, tableText } from './table.js';

type Calibration = NonNullable<Evaluation['calibration']>;

/** Length of a bar of 100%, in characters. */
const BAR = 20;

/** Formats the calibration by dataset; '' if the model gives no probabilities. */
export function calibrationText(evaluations: readonly Evaluation[]): string {
  const calibrated = evaluations.filter(isCalibrated);
  if (calibrated.length === 0) return '';
  return tableText(
    ['calibration', right('examples'), right('ECE % ↓'), right('Brier % ↓'), right('log loss nat ↓')],
    calibrated.map((evaluation) => {
      const { n, ece, brier, log_loss } = evaluation.calibration!;
      return [
        `${examplesTitle(evaluation)} v${evaluation.version}`,
        count(n),
        estimateText('ratio', ece),
        estimateText('ratio', brier),
        estimateText('nat', log_loss),
      ];
    }),
  );
}

/**
 * Formats the reliability diagram of each dataset as a table: the claimed probability next to the
 * accuracy.
 */
export function reliabilityText(evaluations: readonly Evaluation[]): string {
  return evaluations
    .filter(isCalibrated)
    .map(
      (evaluation) =>
        `Reliability on ${examplesTitle(evaluation)} v${evaluation.version}\n${binTable(evaluation.calibration!)}`,
    )
    .join('\n\n');
}

/**
 * True for an evaluation with calibration figures on original examples. Perturbed examples are left
 * out: the originals show the same and are more numerous.
 */
const isCalibrated = ({ calibration, perturbation }: Evaluation): boolean =>
  calibration !== undefined && perturbation === undefined;

const binTable = ({ bins }: Calibration): string =>
  tableText(
    [
      right('confidence %'),
      right('examples'),
      right('mean confidence %'),
      right('accuracy %'),
      '█ accuracy, │ confidence',
    ],
    bins
      .filter(({ n }) => n > 0)
      .map(({ low, high, n, confidence, accuracy }) => [
        `${(low * 100).toFixed(0)}–${(high * 100).toFixed(0)}`,
        count(n),
        confidence === null ? '·' : percent(confidence),
        accuracy === null ? '·' : percent(accuracy),
        confidence === null || accuracy === null ? '' : bar(accuracy, confidence),
      ]),
  );

function bar(accuracy: number, confidence: number): string {
  const filled = Math.round(accuracy * BAR);
  const cells = Array.from({ length: BAR }, (_, place): string => (place < filled ? '█' : '·'));
  cells[Math.min(BAR - 1, Math.round(confidence * BAR))] = '│';
  return cells.join('');
}
