import {
  type ActivateBenchmarkVersion,
  historyBenchmarkVersions,
  historyHistory,
  tasksActivate,
  type TasksActivateData,
  tasksGet,
} from '@assay/api-client/fetch';
import type { Command } from 'commander';
import { contentOf } from '../connection/api.js';
import { names } from '../connection/name-values.js';
import { operationQuery } from '../connection/operation-query.js';
import { historyOfChosen } from './chosen-models.js';
import { activationText, benchmarksText, historyText } from '../format/benchmark-text.js';
import { command, group, sessionOf, type CommonOptions } from './command.js';

interface ActivationOptions extends CommonOptions {
  readonly datasets?: string;
}

type HistoryOptions = CommonOptions & { readonly models?: string };

export function benchmarkCommand(): Command {
  return group(
    'benchmark',
    'the dataset versions and rules that a board is computed from',
    command('list', 'list the benchmark versions of a task with their changes, and the proposed datasets')
      .argument('<task>', 'the slug of the task')
      .addHelpText('after', '\nExample:\n  assay benchmark list nli')
      .action(listVersions),
    activation('preview', 'show the cost of activating the proposed datasets')
      .addHelpText('after', '\nExample:\n  assay benchmark preview nli --datasets round-4')
      .action((slug: string, options: ActivationOptions) => activate(slug, options, 'true')),
    activation('activate', 'create a benchmark version from the proposed datasets; ranked models are evaluated on it')
      .addHelpText('after', '\nExample:\n  assay benchmark activate nli --datasets round-4')
      .action((slug: string, options: ActivationOptions) => activate(slug, options, undefined)),
  );
}

export function historyCommand(): Command {
  return command('history', 'show the score and rank of models by benchmark version, and the changes between versions')
    .argument('<task>', 'the slug of the task')
    .option('--models <models>', 'IDs or names of models, separated by commas (default: all)')
    .addHelpText('after', '\nExample:\n  assay history nli --models albert,bert')
    .action(showHistory);
}

const activation = (name: string, description: string): Command =>
  command(name, description)
    .argument('<task>', 'the slug of the task')
    .option('--datasets <names>', 'only these proposed datasets, separated by commas (default: all)');

async function listVersions(slug: string, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const request = { client: api, path: { slug } };
  const [versions, task] = await Promise.all([
    contentOf(historyBenchmarkVersions(request)),
    contentOf(tasksGet(request)),
  ]);
  const proposed = task.datasets.filter(({ status }) => status === 'proposed');
  output.result({ ...versions, proposed }, benchmarksText(slug, versions.items, proposed, output.width));
}

async function activate(slug: string, options: ActivationOptions, preview: string | undefined): Promise<void> {
  const body: ActivateBenchmarkVersion = options.datasets === undefined ? {} : { datasets: names(options.datasets) };
  const { api, output } = await sessionOf(options);
  const version = await contentOf(
    tasksActivate({ client: api, path: { slug }, query: operationQuery<TasksActivateData>({ preview }), body }),
  );
  output.result(version, activationText(slug, version));
}

async function showHistory(slug: string, options: HistoryOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const all = await contentOf(historyHistory({ client: api, path: { slug } }));
  // filtered here: the API's own `models` filter takes IDs only, and `--models` also takes names
  const history = options.models === undefined ? all : historyOfChosen(all, names(options.models));
  output.result(history, historyText(history, output.width));
}
