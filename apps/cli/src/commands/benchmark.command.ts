import {
  type ActivateBenchmarkVersion,
  type History,
  historyBenchmarkVersions,
  historyHistory,
  tasksActivate,
  type TasksActivateData,
  tasksGet,
} from '@assay/api-client/fetch';
import type { Command } from 'commander';
import { usageFailure } from '../command-failure.js';
import { contentOf, operationQuery } from '../connection/api.js';
import { activationText, benchmarksText, historyText } from '../format/benchmark-text.js';
import { commandForTask, group, printing, type Session } from './command.js';
import { names } from './option-values.js';

export const benchmarkCommand = (): Command =>
  group(
    'benchmark',
    'the dataset versions and rules that a board is computed from',
    commandForTask('list', 'list the benchmark versions of a task with their changes, and the proposed datasets')
      .addHelpText('after', '\nExample:\n  assay benchmark list nli')
      .action(
        printing(listVersions, ({ items, proposed }, { output }, slug) =>
          benchmarksText(slug, items, proposed, output.width),
        ),
      ),
    activation('preview', 'show the cost of activating the proposed datasets', { preview: 'true' }).addHelpText(
      'after',
      '\nExample:\n  assay benchmark preview nli --datasets round-4',
    ),
    activation(
      'activate',
      'create a benchmark version from the proposed datasets; ranked models are evaluated on it',
      {},
    ).addHelpText('after', '\nExample:\n  assay benchmark activate nli --datasets round-4'),
  );

export const historyCommand = (): Command =>
  commandForTask('history', 'show the score and rank of models by benchmark version, and the changes between versions')
    .option('--models <models>', 'IDs or names of models, separated by commas (default: all)')
    .addHelpText('after', '\nExample:\n  assay history nli --models albert,bert')
    .action(printing(historyOf, (history, { output }) => historyText(history, output.width)));

const activation = (name: string, description: string, query: { readonly preview?: string }): Command =>
  commandForTask(name, description)
    .option('--datasets <names>', 'only these proposed datasets, separated by commas (default: all)')
    .action(
      printing(
        ({ api }, slug: string, { datasets }: { readonly datasets?: string }) => {
          const body: ActivateBenchmarkVersion = datasets === undefined ? {} : { datasets: names(datasets) };
          return contentOf(
            tasksActivate({ client: api, path: { slug }, query: operationQuery<TasksActivateData>(query), body }),
          );
        },
        (version, _session, slug) => activationText(slug, version),
      ),
    );

async function listVersions({ api }: Session, slug: string) {
  const request = { client: api, path: { slug } };
  const [versions, task] = await Promise.all([
    contentOf(historyBenchmarkVersions(request)),
    contentOf(tasksGet(request)),
  ]);
  return { ...versions, proposed: task.datasets.filter(({ status }) => status === 'proposed') };
}

async function historyOf({ api }: Session, slug: string, { models }: { readonly models?: string }): Promise<History> {
  const request = { client: api, path: { slug } };
  const all = await contentOf(historyHistory(request));
  if (models === undefined) return all;
  // the filter of the API takes IDs only, and `--models` also takes names
  const ids = historyOfChosen(all, names(models)).models.map(({ model }) => model.id);
  return contentOf(historyHistory({ ...request, query: { models: ids.join(',') } }));
}

/**
 * Returns the history of the models requested by ID or name.
 *
 * @throws CommandFailure that names the requested models that were never ranked
 */
export function historyOfChosen(history: History, asked: readonly string[]): History {
  const isAsked = ({ model }: History['models'][number], each: string): boolean =>
    model.id === each || model.name === each;
  const unknown = asked.filter((each) => !history.models.some((model) => isAsked(model, each)));
  if (unknown.length > 0) {
    throw usageFailure(`No model ${unknown.map((each) => `"${each}"`).join(', ')} was ever ranked on ${history.task}.`);
  }
  return { ...history, models: history.models.filter((model) => asked.some((each) => isAsked(model, each))) };
}
