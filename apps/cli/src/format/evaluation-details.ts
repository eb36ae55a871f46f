import type { Evaluation } from '@assay/api-client/fetch';
import type { Estimate, PerturbedResult } from '@assay/contracts/metrics';
import { examplesTitle } from './dataset-text.js';
import { count, estimateText, metricTitle, metricValue, unitOf } from './numbers.js';
import { right, tableText } from './table.js';

const placeOf = (evaluation: Evaluation): string => `${examplesTitle(evaluation)} v${evaluation.version}`;

/**
 * Formats slices by dataset, field and metric: the worst and the best slice, their gap next to the
 * gap expected by chance, and the slices that stand out. '' without slices.
 */
export function slicesText(all: readonly Evaluation[]): string {
  // slices of perturbed examples show the same with fewer examples
  const evaluations = all.filter(({ perturbation }) => perturbation === undefined);
  const rows = evaluations.flatMap((evaluation) =>
    Object.entries(evaluation.sliceSpreads ?? {}).flatMap(([field, metrics]) =>
      Object.entries(metrics).map(([metric, spread]) => {
        const unit = unitOf(metric);
        const { worst, best, gap, chance, standingOut } = spread;
        return [
          placeOf(evaluation),
          field,
          metricTitle(metric, unit),
          `${worst.slice} ${estimateText(unit, worst)}`,
          `${best.slice} ${estimateText(unit, best)}`,
          estimateText(unit, gap),
          `${metricValue(unit, chance.mean)} (≤ ${metricValue(unit, chance.high)})`,
          standingOut.join(', ') || '·',
        ];
      }),
    ),
  );
  if (rows.length === 0) return '';
  const table = tableText(
    ['dataset', 'sliced by', 'metric', 'worst slice', 'best slice', right('gap'), right('by chance'), 'stands out'],
    rows,
  );
  return (
    `${table}\nSlices of at least 30 examples. By chance: the mean gap of slices of these sizes, and the value that it exceeds in 5% of cases.` +
    matchedText(evaluations)
  );
}

function matchedText(evaluations: readonly Evaluation[]): string {
  const lines = evaluations.flatMap((evaluation) =>
    Object.entries(evaluation.sliceSpreads ?? {}).flatMap(([field, metrics]) => {
      const groups = Object.values(metrics).find(({ matched }) => matched !== undefined)?.matched?.groups;
      return groups === undefined
        ? []
        : [`${placeOf(evaluation)}: ${field} is compared in the ${count(groups)} groups that hold every value.`];
    }),
  );
  return lines.map((line) => `\n${line}`).join('');
}

/**
 * Formats the effect of perturbing the examples, for all transforms together and for each one. ''
 * if nothing was perturbed.
 */
export function perturbedText(evaluations: readonly Evaluation[]): string {
  const rows = evaluations.flatMap((evaluation) => {
    const { perturbed } = evaluation;
    if (!perturbed) return [];
    const place = placeOf(evaluation);
    const unit = performanceUnit(evaluation);
    return [
      perturbedRow({ place, transform: 'all', looked: '', unit }, perturbed),
      ...Object.entries(perturbed.transforms).map(([name, figures]) => {
        const looked = figures.validated === 0 ? '' : `${count(figures.kept)} of ${count(figures.validated)}`;
        const transform = figures.ranks ? name : `${name} (does not rank)`;
        return perturbedRow({ place: '', transform, looked, unit }, figures);
      }),
    ];
  });
  if (rows.length === 0) return '';
  const table = tableText(
    [
      'perturbed',
      'transform',
      right('originals'),
      right('variants'),
      right('stays right % ↑'),
      right('right on average % ↑'),
      right('stable % ↑'),
      right('performance %'),
      right('drop ↓'),
      right('kept their label'),
    ],
    rows,
  );
  return `${table}\nStays right: originals that are answered correctly together with all their variants. Right on average: the share of the variants of an original that are answered correctly together with it, averaged over originals and transforms. Stable: variants with the same answer as the original. Drop: compared with the same originals.`;
}

type Figures = Omit<PerturbedResult, 'transforms'>;

interface Place {
  readonly place: string;
  readonly transform: string;
  /** Validated variants that preserve the label, such as "9 of 10"; '' if none was validated. */
  readonly looked: string;
  readonly unit: string;
}

function perturbedRow({ place, transform, looked, unit }: Place, figures: Figures): string[] {
  const estimate = (value: Estimate | null, of: string): string => (value === null ? '·' : estimateText(of, value));
  return [
    place,
    transform,
    count(figures.originals),
    count(figures.variants),
    estimate(figures.stayedRight, 'ratio'),
    estimate(figures.mean ?? null, 'ratio'),
    estimate(figures.stability, unit),
    figures.performance === null ? '·' : metricValue(unit, figures.performance),
    estimate(figures.drop, unit),
    looked || '·',
  ];
}

/**
 * Returns the unit of the performance metric. The model view does not name that metric, but the
 * metrics of a task mostly share one unit.
 */
function performanceUnit({ metrics }: Evaluation): string {
  const units = new Set(Object.keys(metrics).map(unitOf));
  return units.has('value') ? 'value' : 'ratio';
}
