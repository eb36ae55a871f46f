import { formatBytes, METRICS, type Estimate } from '@assay/contracts';
import type { Schemas } from '../connection/api.js';
import { costNotes } from './cost-notes.js';
import { failureText } from './failure-text.js';
import { count, directionMark, estimateText, metricTitle, threeDigits } from './numbers.js';
import { tableText, type Column } from './table.js';

export type ModelView = Schemas['Model'];
export type EvaluationView = ModelView['evaluations'][number];

const COSTS = ['throughput', 'latency_p50', 'latency_p95', 'memory'] as const;

/** A model for a person: what it is, how it stands, what it scored and what that cost. */
export function modelText(model: ModelView): string {
  const facts = [
    `${model.name} · ${model.kind} by ${model.owner} for ${model.task} · ${stateText(model)}`,
    `id ${model.id}`,
    ...(model.artifact ? [`artifact sha256:${model.artifact.digest} (${formatBytes(model.artifact.size)})`] : []),
    ...(model.description === '' ? [] : [model.description]),
  ];
  return [
    facts.join('\n'),
    ...(model.evaluations.length > 0 ? [evaluationTable(model.evaluations)] : []),
    costNotes(model),
    fate(model),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function stateText({ state, withdrawn, published }: ModelView): string {
  if (withdrawn) return `${state}, withdrawn`;
  return published ? state : `${state}, not published`;
}

/** What made it fail, said once where several datasets failed of the same. */
export function fate(model: ModelView): string {
  const failures = model.failure ? [model.failure] : model.evaluations.flatMap(({ failure }) => failure ?? []);
  return [...new Set(failures.map(failureText))].join('\n\n');
}

function evaluationTable(evaluations: readonly EvaluationView[]): string {
  const metrics = [...new Set(evaluations.flatMap((each) => Object.keys(each.metrics)))];
  const costs = COSTS.filter((cost) => evaluations.some(({ measures }) => typeof measures[cost] === 'number'));
  const columns: Column[] = [
    { title: 'dataset' },
    { title: 'examples', align: 'right' },
    { title: 'state' },
    ...[...metrics, ...costs].map((name) => ({ title: title(name), align: 'right' as const })),
  ];
  return tableText(
    columns,
    evaluations.map((evaluation) => [
      `${examplesTitle(evaluation)} v${evaluation.version}`,
      count(evaluation.examples),
      evaluation.failure ? `${evaluation.state}: ${evaluation.failure.code}` : evaluation.state,
      ...metrics.map((name) => metricCell(name, evaluation.metrics[name])),
      ...costs.map((cost) => costCell(evaluation.measures[cost])),
    ]),
  );
}

/** A dataset, or the perturbed versions of its examples. */
export const examplesTitle = ({
  dataset,
  perturbation,
}: {
  readonly dataset: string;
  readonly perturbation?: string;
}): string => (perturbation === undefined ? dataset : `${dataset} ${perturbation}`);

function title(name: string): string {
  const { unit = 'ratio', direction = 'higher' } = METRICS[name] ?? {};
  return `${metricTitle(name, unit)} ${directionMark(direction)}`;
}

const metricCell = (name: string, estimate: Estimate | undefined): string =>
  estimate ? estimateText(METRICS[name]?.unit ?? 'ratio', estimate) : '·';

const costCell = (value: number | null | undefined): string =>
  value === null || value === undefined ? '·' : threeDigits(value);
