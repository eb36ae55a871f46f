import type { BenchmarkVersion, BenchmarkVersionSummary, DatasetSummary, History } from '@assay/api-client/fetch';
import { count, duration, metricTitle, metricValue, timeText, unitOf } from './numbers.js';
import { right, tableText } from './table.js';
import { warningsText } from './task-text.js';
import { wrapped } from './wrapped.js';

/** Formats the proposed datasets, then the benchmark versions with their changes, newest first. */
export function benchmarksText(
  task: string,
  versions: readonly BenchmarkVersionSummary[],
  proposed: readonly DatasetSummary[],
  width = Infinity,
): string {
  const pending =
    proposed.length === 0
      ? 'No datasets are proposed.'
      : [
          'Proposed, not active yet:',
          ...proposed.map(({ name, version, examples }) => `  ${name} v${version}, ${count(examples)} examples`),
          `Show the cost: assay benchmark preview ${task}`,
        ].join('\n');
  const listed = versions.map((version) =>
    [
      `v${version.number} · ${timeText(version.createdAt)} · ${datasetsText(version.datasets)}`,
      ...(version.amrsKept ? ['  exchange rates between metrics are settled'] : []),
      ...version.changes.map(({ text }) => `  ${text}`),
    ].join('\n'),
  );
  return wrapped([pending, ...(listed.length > 0 ? listed : ['No datasets are active yet.'])].join('\n\n'), width);
}

/** Formats the cost of a benchmark version, either as a preview or after its release. */
export function activationText(task: string, version: BenchmarkVersion): string {
  const { number, createdAt, datasets, evaluations, rescored, cannotRun, estimatedSeconds, warnings } = version;
  const time =
    evaluations === 0
      ? ''
      : estimatedSeconds === null
        ? ', for an unknown time'
        : `, about ${duration(estimatedSeconds)} of running`;
  const cost =
    `${count(evaluations)} ${evaluations === 1 ? 'evaluation runs' : 'evaluations run'}${time}; ` +
    `${count(rescored)} ${rescored === 1 ? 'is' : 'are'} scored again from stored predictions.` +
    (cannotRun === 0
      ? ''
      : `\n${count(cannotRun)} ${cannotRun === 1 ? 'has' : 'have'} no run: the models cannot run, failed before, or fit no registered evaluator.`) +
    warningsText(warnings)
      .map((text) => `\n${text}`)
      .join('');
  return createdAt === null
    ? `Benchmark version ${number} would have ${datasetsText(datasets)}.\n${cost}\nRelease it: assay benchmark activate ${task}`
    : `Benchmark version ${number} is released, with ${datasetsText(datasets)}.\n${cost}\nThe board moves to it when its best models are scored on it, or at its deadline.`;
}

/**
 * Formats ranks and scores by benchmark version, then the changes between versions with the reasons
 * for other scores of each model.
 */
export function historyText(history: History, width = Infinity): string {
  const { task, performance, versions, models } = history;
  if (versions.length === 0) return `${task} has no board yet.`;
  const unit = unitOf(performance);
  const columns = ['model', 'owner', ...versions.map(({ benchmarkVersion }) => right(`v${benchmarkVersion}`))];
  const rows = models.map(({ model, points }) => [
    model.name,
    model.owner,
    ...versions.map(({ benchmarkVersion }) => {
      const point = points.find((each) => each.benchmarkVersion === benchmarkVersion);
      return point ? `#${point.rank}  ${point.dynascore.toFixed(1)}  ${metricValue(unit, point.performance)}` : '·';
    }),
  ]);
  const told = versions.map(({ benchmarkVersion, revision, publishedAt, ranked, changes }) =>
    [
      `v${benchmarkVersion} · revision ${revision} of ${timeText(publishedAt)} · ${count(ranked)} ranked`,
      ...changes.map(({ text }) => `  ${text}`),
      ...models.flatMap(({ model, points }) =>
        (points.find((point) => point.benchmarkVersion === benchmarkVersion)?.changes ?? []).map(
          ({ text }) => `  ${model.name}: ${text}`,
        ),
      ),
    ].join('\n'),
  );
  return [
    `${task}: rank, score and ${metricTitle(performance, unit)} by benchmark version`,
    rows.length > 0 ? tableText(columns, rows) : 'No model was ranked.',
    wrapped(told.join('\n'), width),
  ].join('\n\n');
}

const datasetsText = (datasets: readonly { readonly name: string; readonly version: number }[]): string =>
  datasets.map(({ name, version }) => `${name} v${version}`).join(', ');
