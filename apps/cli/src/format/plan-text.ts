import type { RoundCosts, RoundPlan } from '@assay/api-client/fetch';
import { count } from './numbers.js';
import { right, tableText } from './table.js';

/** Formats the plan of the next round: its size, the examples to write, the pay, and each pair. */
export function planText(plan: RoundPlan): string {
  const { task, detect, unit, performance, pairs, revision } = plan;
  const title = `Next round of ${task}: to detect a difference of ${detect} ${unit} in ${performance} with 80% power`;
  if (revision === null) return `${title}\n\nThere is no board yet. Submit models first.`;
  if (pairs.length === 0) return `${title}\n\nThere are fewer than two ranked models to tell apart.`;
  return [
    title,
    '',
    ...sizeLines(plan),
    ...writeLines(plan),
    '',
    modelsLine(plan),
    '',
    pairTable(plan),
    ...reasons(plan),
  ].join('\n');
}

/** Formats what examples of a round have cost. */
export function roundCostsText({ task, round, items }: RoundCosts): string {
  if (items.length === 0) return `Nobody was paid in round ${round} of ${task}.`;
  const table = tableText(
    [
      'currency',
      ...['paid', 'examples', 'validated', 'fooled', 'per example', 'per validated', 'per model error'].map(right),
    ],
    items.map((cost) => [
      cost.currency,
      money(cost.paid),
      count(cost.examples),
      count(cost.validated),
      count(cost.validatedFooling),
      money(cost.perExample),
      money(cost.perValidated),
      money(cost.perValidatedFooling),
    ]),
  );
  const pending = items.reduce((sum, each) => sum + each.pending, 0);
  const note = pending === 0 ? [] : [`${count(pending)} examples are pending, so the last two are upper bounds.`];
  return [`Pay in round ${round} of ${task}, for finished sessions of crowd workers:`, '', table, ...note].join('\n');
}

type Needed = RoundPlan['needed'];

const money = (amount: number | null): string => amount?.toFixed(2) ?? '·';

function neededText(needed: Needed): string {
  if (needed === null) return '·';
  const { value, low, high } = needed;
  return low === null || high === null ? count(value) : `${count(value)} (${count(low)}–${count(high)})`;
}

function sizeLines({ needed, neededOnBoard, pairsOnBoard, minimumExamples }: RoundPlan): readonly string[] {
  if (needed === null) return ['It cannot be estimated yet.'];
  return [
    `${neededText(needed)} examples to compare two models`,
    `${neededText(neededOnBoard)} examples to separate ranks, with ${count(pairsOnBoard)} pairs on the board`,
    ...(needed.value < minimumExamples
      ? [`A dataset of this task ranks only with ${count(minimumExamples)} examples or more.`]
      : []),
  ];
}

function writeLines({ toWrite, toWriteOnBoard, writtenPerExample, costs = [] }: RoundPlan): readonly string[] {
  if (toWrite === null || toWriteOnBoard === null || writtenPerExample === null) return [];
  return [
    `To write: ${count(toWrite)}, or ${count(toWriteOnBoard)} for ranks (${writtenPerExample.toFixed(1)} per example that ranks, as in closed rounds)`,
    ...costs.map(
      ({ currency, perExample, needed, neededOnBoard }) =>
        `Expected pay: ${money(needed)} ${currency}, or ${money(neededOnBoard)} for ranks (${money(perExample)} per written example)`,
    ),
  ];
}

function modelsLine({ couldBeFirst, models }: RoundPlan): string {
  const names = models.map(({ rank, model }) => `${rank}. ${model.name}`).join(', ');
  return `Could be first: ${couldBeFirst}. Planned for: ${names}.`;
}

function pairTable({ models, pairs, unit }: RoundPlan): string {
  const nameOf = (id: string): string => models.find(({ model }) => model.id === id)?.model.name ?? id;
  return tableText(
    [
      ...['model', 'and'],
      ...[`difference (${unit})`, 'examples so far', 'design effect', 'to compare', 'for ranks'].map(right),
    ],
    pairs.map((pair) => [
      nameOf(pair.a),
      nameOf(pair.b),
      pair.difference?.toFixed(2) ?? '·',
      count(pair.examples),
      pair.designEffect?.toFixed(2) ?? '·',
      neededText(pair.needed),
      neededText(pair.neededOnBoard),
    ]),
  );
}

const reasons = ({ pairs }: RoundPlan): readonly string[] => [...new Set(pairs.flatMap(({ why }) => why ?? []))];
