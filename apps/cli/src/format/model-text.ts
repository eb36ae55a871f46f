import type { Evaluation, Model } from '@assay/api-client/fetch';
import { METRICS, type Estimate } from '@assay/contracts/metrics';
import type { Failure } from '@assay/contracts/models';
import { formatBytes } from '@assay/contracts/text';
import { evaluatorNames, OWN_EVALUATOR } from '@assay/scoring/marks';
import { calibrationText, reliabilityText } from './calibration-text.js';
import { costNotes } from './cost-notes.js';
import { perturbedText, slicesText } from './evaluation-details.js';
import { examplesTitle } from './dataset-text.js';
import { disclosureText } from './disclosure-text.js';
import { count, directionMark, estimateText, metricTitle, metricValue, timeText, unitOf } from './numbers.js';
import { runText } from './run-text.js';
import { right, tableText } from './table.js';

const COSTS = ['cpu_time', 'throughput', 'latency_p50', 'latency_p95', 'memory'] as const;

export interface ModelTextOptions {
  /** Adds the reliability table of each dataset. */
  readonly calibration?: true;
}

/**
 * Formats a model: its properties, its state, its scores (also by slice and on perturbed examples)
 * and its costs.
 */
export function modelText(model: Model, { calibration }: ModelTextOptions = {}): string {
  const facts = [
    `${model.name} · ${model.kind} by ${model.owner} for ${model.task} · ${stateText(model)}`,
    `id ${model.id}`,
    ...(model.artifact
      ? [
          `artifact sha256:${model.artifact.digest} (${formatBytes(model.artifact.size)})${archivedText(model.artifact)}`,
        ]
      : []),
    ...(model.description === '' ? [] : [model.description]),
    ...(model.derivedFrom.length > 0 ? [`derived from ${model.derivedFrom.join(', ')}`] : []),
  ];
  return [
    facts.join('\n'),
    model.run ? runText(model.run, Date.now()) : '',
    ...(model.evaluations.length > 0 ? [evaluationTable(model.evaluations)] : []),
    ownEvaluatorText(model.evaluations),
    disclosureText(model.disclosure),
    slicesText(model.evaluations),
    perturbedText(model.evaluations),
    labelDiffersText(model.evaluations),
    calibrationText(model.evaluations),
    ...(calibration ? [reliability(model)] : []),
    costNotes(model),
    supplementsText(model),
    fate(model),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Returns a line for each file of predictions that was added, and one for each dataset that awaits predictions. */
function supplementsText({ supplements = [], awaits = [] }: Model): string {
  const added = supplements.map(({ createdAt, digest, state, failure }) => {
    const why = failure ? `: ${failure.message}` : '';
    return `predictions added ${timeText(createdAt)}, sha256:${digest.slice(0, 12)}…, ${state}${why}`;
  });
  const awaited = awaits.map(({ dataset, until }) => {
    const deadline = until === undefined ? '' : ` until ${timeText(until)}`;
    return `no predictions for ${dataset} yet; add them${deadline} with assay submit --for MODEL FILE`;
  });
  return [...added, ...awaited].join('\n');
}

function archivedText({ archivedAt }: NonNullable<Model['artifact']>): string {
  return archivedAt === undefined ? '' : `, archived ${timeText(archivedAt)}: its artifact is deleted, its scores stay`;
}

const reliability = ({ evaluations }: Model): string =>
  reliabilityText(evaluations) || 'The model gives no probabilities, so its calibration is not known.';

function stateText({ state, withdrawn, published }: Model): string {
  if (withdrawn) return `${state}, withdrawn`;
  return published ? state : `${state}, not published`;
}

/** Formats the failures of a model. A failure that several datasets share is listed once. */
export function fate(model: Model): string {
  const failures = model.failure ? [model.failure] : model.evaluations.flatMap(({ failure }) => failure ?? []);
  return [...new Set(failures.map(failureText))].join('\n\n');
}

function evaluationTable(evaluations: readonly Evaluation[]): string {
  const metrics = [...new Set(evaluations.flatMap((each) => Object.keys(each.metrics)))];
  const costs = COSTS.filter((cost) => evaluations.some(({ measures }) => typeof measures[cost] === 'number'));
  const isOwn = evaluations.some(({ evaluators }) => evaluators);
  return tableText(
    [
      'dataset',
      right('examples'),
      'state',
      ...[...metrics, ...costs].map((name) => right(title(name))),
      ...(isOwn ? [OWN_EVALUATOR.name] : []),
    ],
    evaluations.map((evaluation) => [
      `${examplesTitle(evaluation)} v${evaluation.version}`,
      count(evaluation.examples),
      evaluation.failure ? `${evaluation.state}: ${evaluation.failure.code}` : evaluation.state,
      ...metrics.map((name) => metricCell(name, evaluation.metrics[name])),
      ...costs.map((cost) => costCell(cost, evaluation.measures[cost])),
      ...(isOwn ? [evaluatorNames(evaluation.evaluators ?? []) || '·'] : []),
    ]),
  );
}

/** Returns the note about evaluators of users; '' if none of them ran the model. */
const ownEvaluatorText = (evaluations: readonly Evaluation[]): string =>
  evaluations.some(({ evaluators }) => evaluators) ? `${OWN_EVALUATOR.name}: ${OWN_EVALUATOR.sentence}` : '';

/** Returns a line for each dataset with answers whose label is not the most probable one. */
const labelDiffersText = (evaluations: readonly Evaluation[]): string =>
  evaluations
    .filter(({ labelDiffers = 0 }) => labelDiffers > 0)
    .map((each) => {
      const share = `${count(each.labelDiffers ?? 0)} of ${count(each.examples)}`;
      return `${examplesTitle(each)}: label differs from the top probability in ${share}`;
    })
    .join('\n');

const title = (name: string): string =>
  `${metricTitle(name, unitOf(name))} ${directionMark(METRICS[name]?.direction ?? 'higher')}`;

const metricCell = (name: string, estimate: Estimate | undefined): string =>
  estimate ? estimateText(unitOf(name), estimate) : '·';

const costCell = (name: string, value: number | null | undefined): string =>
  value === null || value === undefined ? '·' : metricValue(unitOf(name), value);

const WHOSE = {
  model: 'caused by the model',
  task: 'caused by the task, not by the model',
  platform: 'caused by the platform, not by the model',
} as const;

/** Formats a failure: what happened, who is responsible, and what to do next. */
export function failureText({ code, fault, message, next }: Failure): string {
  return `${message} (${code}, ${WHOSE[fault]})\n→ ${next}`;
}
