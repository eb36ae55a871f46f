import {
  modelsArchive,
  modelsCancel,
  modelsList,
  modelsLogs,
  modelsPublish,
  modelsRerun,
  modelsWithdraw,
  type ModelSummary,
} from '@assay/api-client/fetch';
import type { Command } from 'commander';
import { allItems } from '../connection/all-items.js';
import { type Api, contentOf } from '../connection/api.js';
import { modelOf } from '../follow/follow-model.js';
import { modelText, type ModelView } from '../format/model-text.js';
import { count } from '../format/numbers.js';
import { tableText } from '../format/table.js';
import { modelExportCommands } from './model-exports.command.js';
import { command, group, sessionOf, type CommonOptions } from './command.js';

interface Change {
  readonly name: string;
  readonly description: string;
  readonly operation: (request: {
    readonly client: Api;
    readonly path: { readonly id: string };
  }) => Promise<{ readonly data: ModelView }>;
}

/** The commands that change a model. */
const CHANGES: readonly Change[] = [
  { name: 'rerun', description: 'repeat evaluations that failed or were cancelled', operation: modelsRerun },
  { name: 'cancel', description: 'cancel evaluations that are queued or running', operation: modelsCancel },
  { name: 'publish', description: 'publish a model on the board once it is complete', operation: modelsPublish },
  { name: 'withdraw', description: 'remove a model from the board; its scores stay', operation: modelsWithdraw },
  {
    name: 'archive',
    description: 'delete the artifact of a model; its scores stay, and the same file can be uploaded again',
    operation: modelsArchive,
  },
];

type ShowOptions = CommonOptions & { readonly calibration?: true };
type RerunOptions = CommonOptions & { readonly measures?: true };

export function modelCommand(): Command {
  return group(
    'model',
    'submitted models',
    command('show', 'show a model, with its scores by dataset and slice, and its costs')
      .argument('<id>')
      .option('--calibration', 'show the calibration of its probabilities')
      .addHelpText('after', example('model show ID --calibration'))
      .action(showModel),
    command('list', 'list the models of a task that you may see')
      .argument('<task>', 'the slug of the task')
      .addHelpText('after', example('model list nli'))
      .action(listModels),
    command('logs', 'show the end of the log of your model')
      .argument('<id>')
      .addHelpText('after', example('model logs ID'))
      .action(showLogs),
    ...modelExportCommands(),
    ...CHANGES.map(({ name, description, operation }) => {
      const own = command(name, description)
        .argument('<id>')
        .addHelpText('after', example(`model ${name} ID`));
      if (name === 'rerun') own.option('--measures', 'measure the costs of a scored model again; its scores stay');
      return own.action((id: string, options: RerunOptions) => change(operation, id, options));
    }),
  );
}

const example = (words: string): string => `\nExample:\n  assay ${words}`;

async function showModel(id: string, options: ShowOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const model = await modelOf(api, id);
  output.result(model, modelText(model, options));
}

async function listModels(slug: string, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const items = await allItems<ModelSummary>((query) => contentOf(modelsList({ client: api, path: { slug }, query })));
  const titles = ['model', 'owner', 'kind', 'state', 'submitted', 'id'].map((title) => ({ title }));
  const rows = items.map(({ name, owner, kind, state, createdAt, id }) => [
    name,
    owner,
    kind,
    state,
    createdAt.slice(0, 16).replace('T', ' '),
    id,
  ]);
  output.result({ items }, rows.length > 0 ? tableText(titles, rows) : `${slug} has no models yet.`);
}

async function showLogs(id: string, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const log = await contentOf(modelsLogs({ client: api, path: { id } }));
  output.result(log, logText(log));
}

function logText({ log, withheldBytes }: { readonly log: string; readonly withheldBytes?: number }): string {
  if (withheldBytes === undefined)
    return log === '' ? 'The log is empty, or the model has not run yet.' : log.trimEnd();
  const withheld = `[${count(withheldBytes)} bytes are withheld: the sandbox that wrote them had seen hidden data.]`;
  return `${log.trimEnd()}\n${withheld}`.trimStart();
}

async function change(operation: Change['operation'], id: string, options: RerunOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const request = { client: api, path: { id } };
  const model = await contentOf(
    options.measures ? modelsRerun({ ...request, query: { measures: 'true' } }) : operation(request),
  );
  output.result(model, modelText(model));
}
