import type { HistoryView } from '@assay/contracts/datasets';
import { declareMetric, isCostMetric } from '@assay/contracts/metrics';
import { metricValue, percent, shownUnit, threeDigits } from '@assay/contracts/text';
import type { BoardModel } from './board-content.js';
import type { WeighedBoard } from './weighed-board.js';

/** A reason for the difference of a score. */
type ScoreChange = NonNullable<HistoryView['models'][number]['points'][number]['changes']>[number];

/** A board with the versions of the definitions that its figures were computed by. */
export interface VersionedBoard {
  readonly weighed: WeighedBoard;
  readonly metricVersions: Readonly<Record<string, number>>;
}

/**
 * Returns why the score of a model differs between two boards that rank it: the figures that count
 * on both and differ, the weights of the datasets, and the exchange rates. Datasets that only one of
 * the boards has, and changed weights of metrics, are changes of the benchmark and not repeated here.
 */
export function scoreChanges(before: VersionedBoard, after: VersionedBoard, id: string): ScoreChange[] {
  const metrics = weightedMetrics(after.weighed).filter((name) => weightedMetrics(before.weighed).includes(name));
  const pair = { before, after, id };
  return [
    ...metrics.flatMap((name) => (isCostMetric(name) ? costChange(pair, name) : figureChanges(pair, name))),
    ...datasetWeightChanges(before.weighed, after.weighed),
    ...metrics.flatMap((name) => rateChange(before.weighed, after.weighed, name)),
  ];
}

/** The same model on two boards. */
interface Pair {
  readonly before: VersionedBoard;
  readonly after: VersionedBoard;
  readonly id: string;
}

const weightedMetrics = ({ effective }: WeighedBoard): string[] =>
  Object.keys(effective).filter((name) => effective[name]! > 0);

const modelOf = ({ scores }: WeighedBoard, id: string): BoardModel => scores.content.models[scores.places.get(id)!]!;

function figureChanges({ before, after, id }: Pair, metric: string): ScoreChange[] {
  return countedByBoth(before.weighed, after.weighed).flatMap((dataset): ScoreChange[] => {
    const at = { id, metric, dataset };
    const [old, now] = [figureAt(before.weighed, at), figureAt(after.weighed, at)];
    if (!old || !now || old.value === now.value) return [];
    const why = old.isEstimated || now.isEstimated ? estimateReason(now.isEstimated) : scoringReason(before, after, at);
    const text = `${metric} on ${dataset}: ${fromTo(after.weighed, metric, old.value, now.value)}, because ${why}.`;
    return [{ metric, dataset, before: old.value, after: now.value, text }];
  });
}

/** Returns the datasets of both boards that count on both. */
const countedByBoth = (before: WeighedBoard, after: WeighedBoard): string[] =>
  Object.keys(after.datasetWeights).filter(
    (name) => after.datasetWeights[name]! > 0 && (before.datasetWeights[name] ?? 0) > 0,
  );

interface Figure {
  readonly value: number;
  /** True if the value is estimated, because the dataset was collected against the model. */
  readonly isEstimated: boolean;
}

interface Place {
  readonly id: string;
  readonly metric: string;
  readonly dataset: string;
}

/** Returns the value that counts for a model on a dataset; null if it has none. */
function figureAt({ rankable: { matrix, aggregated }, scores }: WeighedBoard, place: Place): Figure | null {
  const column = matrix.metrics.findIndex(({ name }) => name === place.metric);
  const dataset = matrix.datasets.findIndex(({ name }) => name === place.dataset);
  const cell = scores.places.get(place.id)! * matrix.datasets.length + dataset;
  const fitted = aggregated.fitted[column];
  const isEstimated = Boolean(fitted) && matrix.own[cell] === 1;
  const value = (isEstimated ? fitted : matrix.values[column])?.[cell] ?? NaN;
  return Number.isNaN(value) ? null : { value, isEstimated };
}

const estimateReason = (isEstimated: boolean): string =>
  isEstimated
    ? 'the dataset was collected against this model, so the value is estimated from other models and datasets'
    : 'the value is no longer estimated';

function scoringReason(before: VersionedBoard, after: VersionedBoard, { dataset, metric }: Place): string {
  const [old, now] = [before, after].map(
    ({ weighed }) => weighed.scores.content.datasets.find(({ name }) => name === dataset)!.version,
  );
  if (old !== now) return `version ${now} of the dataset replaces version ${old}`;
  const version = after.metricVersions[metric] ?? 1;
  if (version !== (before.metricVersions[metric] ?? 1)) return `${metric} is now computed by its version ${version}`;
  return 'the answers were scored again';
}

/** A cost belongs to a run, so it is the same on every dataset of the run. */
function costChange({ before, after, id }: Pair, metric: string): ScoreChange[] {
  const [was, is] = [aggregateOf(before.weighed, id, metric), aggregateOf(after.weighed, id, metric)];
  if (was === is) return [];
  const [earlier, later] = [modelOf(before.weighed, id).hardware, modelOf(after.weighed, id).hardware];
  const why = earlier === later ? 'it was measured again' : `it was measured on other hardware (${later ?? 'unknown'})`;
  const text = `${metric}: ${fromTo(after.weighed, metric, was, is)}, because ${why}.`;
  return [{ metric, before: was, after: is, text }];
}

function aggregateOf({ board, scores }: WeighedBoard, id: string, metric: string): number {
  const column = board.metrics.findIndex(({ name }) => name === metric);
  return board.values[scores.places.get(id)! * board.metrics.length + column]!;
}

function fromTo({ scores }: WeighedBoard, metric: string, was: number, is: number): string {
  const { unit } = declareMetric(metric, scores.content.performance)!;
  const text = `${metricValue(unit, was)} → ${metricValue(unit, is)}`;
  return unit === 'value' || unit === 'nat' ? text : `${text} ${shownUnit(unit)}`;
}

function datasetWeightChanges(before: WeighedBoard, after: WeighedBoard): ScoreChange[] {
  return countedByBoth(before, after).flatMap((dataset): ScoreChange[] => {
    const [was, is] = [before.datasetWeights[dataset]!, after.datasetWeights[dataset]!];
    if (percent(was) === percent(is)) return [];
    const text = `${dataset} counts ${percent(is)}% of the datasets, not ${percent(was)}% as before.`;
    return [{ dataset, before: was, after: is, text }];
  });
}

function rateChange(before: WeighedBoard, after: WeighedBoard, metric: string): ScoreChange[] {
  const [was, is] = [before.calibration?.amrs[metric], after.calibration?.amrs[metric]];
  if (was === undefined || is === undefined || threeDigits(was) === threeDigits(is)) return [];
  const text = `The exchange rate of ${metric} is ${threeDigits(is)}, not ${threeDigits(was)}, because it depends on the models of a board.`;
  return [{ metric, before: was, after: is, text }];
}
