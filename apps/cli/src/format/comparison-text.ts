import type { Comparison, ComparisonMatrix } from '@assay/api-client/fetch';
import { pValue } from '@assay/contracts/text';
import { comparedMarks, costMarks, marksLegend, markText } from '@assay/scoring/marks';
import { disclosureText } from './disclosure-text.js';
import { count, estimateText, metricTitle, metricValue } from './numbers.js';
import { right, tableText } from './table.js';

type Dataset = Comparison['datasets'][number];
type Figures = Dataset['metrics'][string];

/**
 * Formats the comparison of two models: the figures of each dataset, the conclusions in words, the
 * costs, and the cautions.
 */
export function comparisonText(view: Comparison): string {
  const { a, b, task, benchmarkVersion } = view;
  const parts = [
    `${task} · benchmark version ${benchmarkVersion}\na: ${a.name} (${a.owner})\nb: ${b.name} (${b.owner})`,
    tableText(
      ['dataset', 'metric', right('n'), right('a'), right('b'), right('a − b'), right('p'), right('p (Holm)')],
      [...overallRows(view), ...view.datasets.flatMap((each) => datasetRows(view, each))],
    ),
    [...verdicts(view), ...(view.decision === null ? [] : [view.decision])].join('\n'),
    costsText(view),
    cautions(view).join('\n'),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

const overallRows = (view: Comparison): string[][] =>
  Object.entries(view.overall.metrics).map(([name, { difference, p, holm }]) => [
    'overall',
    metricTitle(name, unitOf(view, name)),
    '',
    '',
    '',
    signed(unitOf(view, name), difference),
    p === null ? '·' : pValue(p),
    holm === null ? '·' : pValue(holm),
  ]);

const datasetRows = (view: Comparison, each: Dataset): string[][] =>
  Object.entries(each.metrics).map(([name, { a, b, difference, p, holm }]) => [
    nameOf(each),
    metricTitle(name, unitOf(view, name)),
    count(each.n),
    `${markText(comparedMarks(each, 'a', a))}${estimateText(unitOf(view, name), a)}`,
    `${markText(comparedMarks(each, 'b', b))}${estimateText(unitOf(view, name), b)}`,
    signed(unitOf(view, name), difference),
    p === null ? '·' : pValue(p),
    holm === null ? '·' : pValue(holm),
  ]);

/** Returns the conclusions about the performance, overall and by dataset. */
function verdicts(view: Comparison): string[] {
  const { performance, overall } = view;
  const found = view.datasets.flatMap((each) => {
    const figures = each.metrics[performance];
    return figures ? [datasetVerdict(view, each, figures)] : [];
  });
  const total = overall.metrics[performance];
  const on = `overall (${overall.comparable} of ${overall.of} datasets)`;
  if (!total) return found;
  const words = total.better ? `${view[total.better].name} is better ${on}.` : `Tied ${on}.`;
  return [words, ...found];
}

function datasetVerdict(view: Comparison, each: Dataset, { better, detectable }: Figures): string {
  if (better) return `${view[better].name} is better on ${nameOf(each)}.`;
  const unit = unitOf(view, view.performance);
  const limit =
    detectable === null
      ? ''
      : ` (${count(each.n)} examples can detect ${metricValue(unit, detectable)}${unit === 'ratio' ? ' points' : ''} or more)`;
  return `Tied on ${nameOf(each)}${limit}.`;
}

function costsText({ costs }: Comparison): string {
  const rows = Object.entries(costs.metrics).map(([name, { unit, a, b, difference, contended, short }]) => {
    const text = (value: number | null): string => (value === null ? '·' : metricValue(unit, value));
    const marked = (side: 'a' | 'b'): string =>
      markText(costMarks({ contended: contended?.[side] ?? false, short: short?.[side] ?? false }));
    return [metricTitle(name, unit), `${marked('a')}${text(a)}`, `${marked('b')}${text(b)}`, text(difference)];
  });
  if (rows.length === 0) return '';
  const table = tableText(['cost', right('a'), right('b'), right('a − b')], rows);
  return costs.comparable
    ? table
    : `${table}\nCosts are not comparable: they were measured on different hardware classes, or not at all.`;
}

function cautions({ warnings, datasets, overall, costs, disclosure }: Comparison): string[] {
  const isContended = Object.values(costs.metrics).some(({ contended }) => contended);
  const isShort = Object.values(costs.metrics).some(({ short }) => short);
  return [
    ...marksLegend([
      ...datasets.flatMap((each) =>
        Object.values(each.metrics).flatMap(({ a, b }) => [
          ...comparedMarks(each, 'a', a),
          ...comparedMarks(each, 'b', b),
        ]),
      ),
      ...costMarks({ contended: isContended, short: isShort }),
    ]),
    ...(disclosure === 'exact' ? [disclosureText(disclosure)] : []),
    ...warnings,
    ...datasets.flatMap((each) => each.warnings.map((warning) => `${nameOf(each)}: ${warning}`)),
    ...overall.missing.map(({ dataset, why }) => `Not in the overall difference: ${dataset} (${why}).`),
  ];
}

/** Formats the pairwise comparisons of several models. */
export function comparisonMatrixText(view: ComparisonMatrix): string {
  const names = new Map(view.models.map(({ id, name }) => [id, name]));
  const rows = view.pairs.map(({ a, b, difference, holm, better, comparable }) => [
    names.get(a) ?? a,
    names.get(b) ?? b,
    difference ? signed('ratio', difference) : '·',
    holm === null ? '·' : pValue(holm),
    better ? `${names.get(better === 'a' ? a : b) ?? better} is better` : 'tied',
    `${comparable} of ${view.of}`,
  ]);
  const table = tableText(['a', 'b', right('a − b'), right('p (Holm)'), '', right('datasets')], rows);
  const warnings = view.pairs.flatMap(({ a, b, warnings: each }) =>
    each.map((warning) => `${names.get(a)} and ${names.get(b)}: ${warning}`),
  );
  const title = `${view.task} · benchmark version ${view.benchmarkVersion} · differences in ${view.performance}`;
  return [title, table, warnings.join('\n')].filter((part) => part !== '').join('\n\n');
}

const signed = (unit: string, difference: Figures['difference']): string =>
  `${difference.value > 0 ? '+' : ''}${estimateText(unit, difference)}`;

const unitOf = ({ metrics }: Comparison, name: string): string =>
  metrics.find((metric) => metric.name === name)?.unit ?? 'ratio';

const nameOf = ({ dataset, perturbation }: Dataset): string =>
  perturbation ? `${dataset} (${perturbation})` : dataset;
