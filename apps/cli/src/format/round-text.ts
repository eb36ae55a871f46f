import type { Round } from '@assay/api-client/fetch';
import { count, percent, timeText } from './numbers.js';
import { right, tableText } from './table.js';

/** Formats a round: its progress, its target models, and the datasets that it became. */
export function roundText(round: Round): string {
  return [
    `Round ${round.number} of ${round.task}: ${stateText(round)}`,
    ...(round.description === '' ? [] : [round.description]),
    ...turnLines(round),
    ...countLines(round),
    ...modelLines(round),
    ...releaseLines(round),
  ].join('\n');
}

/** Formats rounds, one per line. */
export const roundTable = (rounds: readonly Round[]): string =>
  tableText(
    [
      right('round'),
      ...['state', 'opened', 'closed'],
      ...[right('examples'), right('fooled'), right('validated')],
      'in the loop',
    ],
    rounds.map(({ number, state, openedAt, closedAt, imported, counts, models }) => [
      String(number),
      imported ? `${state}, imported` : state,
      openedAt === null ? '·' : timeText(openedAt),
      closedAt === null ? '·' : timeText(closedAt),
      count(counts.examples),
      count(counts.fooled),
      count(counts.validated),
      models.map(({ model }) => model.name).join(', ') || '·',
    ]),
  );

function stateText({ state, imported, openedAt, closedAt, closedBy, closingStep, pendingUntil }: Round): string {
  if (imported) return `${state}, imported from a file`;
  if (state === 'open') return openedAt === null ? 'open' : `open since ${timeText(openedAt)}`;
  const when = closedAt === null ? '' : ` since ${timeText(closedAt)}`;
  const why = closedBy === null ? '' : ` (${closedBy})`;
  if (state === 'closed') return `closed${when}${why}`;
  const waits = pendingUntil === null ? '' : `, waiting for validations until ${timeText(pendingUntil)}`;
  return `closing${when}${why}, at the step ${closingStep ?? 'last'}${waits}`;
}

function turnLines({ state, turn }: Round): readonly string[] {
  if (state !== 'open' || turn === null) return [];
  const rules = [
    ...(turn.examples === undefined ? [] : [`at ${count(turn.examples)} examples`]),
    ...(turn.validated === undefined ? [] : [`at ${count(turn.validated)} validated`]),
    ...(turn.closesAt === undefined ? [] : [`at ${timeText(turn.closesAt)}`]),
    ...(turn.saturation === undefined
      ? []
      : [`once a new model solves ${percent(turn.saturation)} % of the examples that fooled`]),
  ];
  return [rules.length === 0 ? 'closes manually' : `closes ${rules.join(', or ')}`];
}

function countLines({ counts, imported }: Round): readonly string[] {
  if (imported) return [];
  const { examples, attested, annotators, contexts, fooled, validated, validatedFooling, pending } = counts;
  const brought = attested === 0 ? '' : `, ${count(attested)} of them imported`;
  const decided = (['rejected', 'flagged', 'undecided', 'retracted'] as const).flatMap((each) =>
    counts[each] === 0 ? [] : [`${count(counts[each])} ${each}`],
  );
  return [
    `${some(examples, 'example')} by ${some(annotators, 'person', 'people')} for ${some(contexts, 'context')}${brought}`,
    `  fooled ${count(fooled)}`,
    `  validated ${count(validated)}, of which fooled ${count(validatedFooling)}; pending ${count(pending)}` +
      (decided.length === 0 ? '' : `; ${decided.join(', ')}`),
  ];
}

const some = (number: number, one: string, many = `${one}s`): string => `${count(number)} ${number === 1 ? one : many}`;

function modelLines({ models }: Round): readonly string[] {
  if (models.length === 0) return [];
  const lines = models.map(({ model, reason, since, until, left }) => {
    const end = until === null ? '' : `, until ${timeText(until)}${left === null ? '' : `: ${left}`}`;
    return `  ${model.name} (${REASONS[reason]}) since ${timeText(since)}${end}`;
  });
  return ['In the loop:', ...lines];
}

const REASONS: Readonly<Record<Round['models'][number]['reason'], string>> = {
  policy: 'chosen by the policy',
  named: 'chosen manually',
  replacement: 'replaces another model',
};

function releaseLines({ releases, benchmarkVersion }: Round): readonly string[] {
  if (releases.length === 0) return [];
  const active = benchmarkVersion === null ? '' : ` (benchmark version ${benchmarkVersion})`;
  const lines = releases.map(
    ({ part, dataset, examples }) =>
      `  ${dataset ?? part}: ${count(examples)} examples${dataset === null ? ', for training' : ''}`,
  );
  return [`Released data${active}:`, ...lines];
}
