import type {
  Evaluator,
  EvaluatorHost,
  EvaluatorRegistered,
  RegisteredEvaluators,
  RemovedEvaluator,
  RunningWork,
} from '@assay/api-client/fetch';
import { formatBytes } from '@assay/contracts/text';
import { timeText } from './numbers.js';
import { right, tableText } from './table.js';

/**
 * Formats a new evaluator with its token, and the commands that start the evaluator.
 * @param url the server
 */
export const registeredText = ({ name, own, token }: EvaluatorRegistered, url: string): string =>
  [
    `Registered the evaluator ${name} for ${own ? 'models on your tasks: your own, and those whose owners allow it' : "everyone's tasks"}.`,
    'The token is shown only once. To start the evaluator, run this on its host, in a clone of Assay:',
    '',
    `  export ASSAY_URL=${url} ASSAY_EVALUATOR_TOKEN=${token}`,
    '  scripts/evaluator',
    '',
    'The host needs a Docker engine. It needs no access to the database.',
    `To revoke the token: assay evaluator remove ${name}`,
  ].join('\n');

/** Formats evaluators, one per line, with notes about those that do not work or were removed. */
export function evaluatorsText({ items, removed, protocols }: RegisteredEvaluators): string {
  const notes = [
    ...items.flatMap((evaluator) => [...problemNote(evaluator), ...protocolNote(evaluator, protocols)]),
    ...removed.map(removalNote),
  ];
  const none = 'No evaluators are registered. Register one: assay evaluator register NAME';
  return [items.length > 0 ? evaluatorsTable(items) : none, ...notes].join('\n');
}

const evaluatorsTable = (items: readonly Evaluator[]): string =>
  tableText(
    ['name', 'tasks of', 'state', 'version', right('slots'), 'host', 'last seen', 'runs now', 'id'],
    items.map((evaluator) => [
      evaluator.name,
      evaluator.owner ?? 'everyone',
      evaluator.state,
      evaluator.version ?? '–',
      evaluator.slots?.toString() ?? '–',
      evaluator.host ? hostText(evaluator.host) : '–',
      evaluator.lastSeenAt ? timeText(evaluator.lastSeenAt) : 'never',
      runningText(evaluator.running),
      evaluator.id,
    ]),
  );

const hostText = ({ architecture, cpus, memoryBytes, runtimes }: EvaluatorHost): string =>
  [architecture, `${cpus} CPUs`, formatBytes(memoryBytes), ...runtimes].join(', ');

/** The most runs that are named in a line. */
const NAMED = 3;

const STAGE_WORDS: Readonly<Record<RunningWork['stage'], string>> = {
  admission: 'admission',
  evaluation: 'evaluation',
  measures: 'measurement',
  serving: 'serving',
};

function runningText(running: readonly RunningWork[]): string {
  if (running.length === 0) return '–';
  const named = running.slice(0, NAMED).map(({ stage, model }) => {
    const name = model ? `${model.name} (${model.owner})` : 'a model that you may not see';
    return `${STAGE_WORDS[stage]} of ${name}`;
  });
  return [...named, ...(running.length > NAMED ? [`${running.length - NAMED} more`] : [])].join(', ');
}

const problemNote = ({ name, state, problem }: Evaluator): string[] =>
  state === 'online' && problem !== null ? [`${name} cannot run models: ${problem}`] : [];

const removalNote = ({ name, removedAt, lastUsedAt }: RemovedEvaluator): string =>
  lastUsedAt === null
    ? `${name} was removed on ${timeText(removedAt)}.`
    : `${name} was removed on ${timeText(removedAt)}; a process still uses its token, last on ${timeText(lastUsedAt)}. Stop that process.`;

function protocolNote({ name, protocol }: Evaluator, supported: readonly number[]): string[] {
  if (protocol === null || supported.includes(protocol)) return [];
  return [
    `${name} uses version ${protocol} of the protocol, which this server does not support (${supported.join(', ')}). Install it in the version of the server.`,
  ];
}
