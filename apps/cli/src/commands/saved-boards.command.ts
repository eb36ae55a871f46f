import {
  savedboardsFork,
  savedboardsForks,
  savedboardsGetFork,
  savedboardsGetSnapshot,
  savedboardsRemoveFork,
  savedboardsSnapshot,
  savedboardsSnapshots,
  type SaveFork,
  type SaveSnapshot,
} from '@assay/api-client/fetch';
import { Option, type Command } from 'commander';
import { usageFailure } from '../command-failure.js';
import { allItems } from '../connection/all-items.js';
import { contentOf } from '../connection/api.js';
import { nameValues } from '../connection/name-values.js';
import { forkText, savedBoardsTable, snapshotText, weighingText } from '../format/saved-board-text.js';
import { command, group, sessionOf, type CommonOptions } from './command.js';
import { ALL_METRICS, columnsAsked } from './leaderboard.command.js';

interface WeighingOptions extends CommonOptions {
  readonly weights?: string;
  readonly datasets?: string;
  readonly amrs?: 'official' | 'live';
  readonly ownRounds?: 'adjust' | 'count';
  readonly description?: string;
}

interface ShowOptions extends CommonOptions {
  readonly allMetrics?: true;
}

interface SnapshotOptions extends WeighingOptions {
  readonly fork?: string;
  readonly asOf?: string;
}

export function forkCommand(): Command {
  return group(
    'fork',
    'boards with your own weights, saved under a name',
    weighed('create', 'save weights under a name; the board stays up to date')
      .addHelpText('after', '\nExample:\n  assay fork create nli cheap --weights memory:4 --description "small first"')
      .action(createFork),
    command('list', 'list the forks of a task')
      .argument('<task>', 'the slug of the task')
      .addHelpText('after', '\nExample:\n  assay fork list nli')
      .action(listForks),
    named('show', 'show the current board with the weights of a fork')
      .option('--all-metrics', ALL_METRICS)
      .addHelpText('after', '\nExample:\n  assay fork show nli cheap')
      .action(showFork),
    named('remove', 'remove one of your forks')
      .addHelpText('after', '\nExample:\n  assay fork remove nli cheap')
      .action(removeFork),
  );
}

export function snapshotCommand(): Command {
  return group(
    'snapshot',
    'boards that are frozen under a name, for example for a paper',
    weighed('create', 'freeze a board; nobody can change or remove it, and its address is permanent')
      .option('--fork <name>', 'use the weights of this fork')
      .option('--as-of <when>', 'a benchmark version (v3), a revision (r17) or a time (default: now)')
      .addHelpText('after', '\nExample:\n  assay snapshot create nli paper-2026 --fork cheap --as-of v3')
      .action(createSnapshot),
    command('list', 'list the snapshots of a task')
      .argument('<task>', 'the slug of the task')
      .addHelpText('after', '\nExample:\n  assay snapshot list nli')
      .action(listSnapshots),
    named('show', 'show a frozen board')
      .option('--all-metrics', ALL_METRICS)
      .addHelpText('after', '\nExample:\n  assay snapshot show nli paper-2026')
      .action(showSnapshot),
  );
}

const named = (name: string, description: string): Command =>
  command(name, description)
    .argument('<task>', 'the slug of the task')
    .argument('<name>', 'the name (lower-case letters, digits and hyphens)');

const weighed = (name: string, description: string): Command =>
  named(name, description)
    .option('--weights <name:weight,…>', "weights of metrics, instead of the task's")
    .option('--datasets <name:weight,…>', 'weights of datasets')
    .addOption(new Option('--amrs <which>', 'exchange rates between metrics').choices(['official', 'live']))
    .addOption(
      new Option('--own-rounds <how>', 'scores on datasets that were collected against the model').choices([
        'adjust',
        'count',
      ]),
    )
    .option('--description <text>', 'a description of the board');

async function createFork(slug: string, name: string, options: WeighingOptions): Promise<void> {
  const body: SaveFork = { name, ...weighing(options) };
  const { api, output } = await sessionOf(options);
  const fork = await contentOf(savedboardsFork({ client: api, path: { slug }, body }));
  const next = `Show it: assay fork show ${slug} ${fork.name}`;
  output.result(fork, `Created the fork ${fork.name}. It differs in: ${weighingText(fork.weighing)}.\n${next}`);
}

async function listForks(slug: string, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const items = await allItems((query) => contentOf(savedboardsForks({ client: api, path: { slug }, query })));
  const none = `${slug} has no forks yet. Create one: assay fork create ${slug} NAME --weights NAME:WEIGHT,…`;
  output.result({ items }, items.length > 0 ? savedBoardsTable(items) : none);
}

async function showFork(slug: string, name: string, options: ShowOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const fork = await contentOf(savedboardsGetFork({ client: api, path: { slug, name } }));
  output.result(fork, forkText(fork, output.width, columnsAsked(options)));
}

async function removeFork(slug: string, name: string, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  await savedboardsRemoveFork({ client: api, path: { slug, name } });
  output.result({ removed: name }, `Removed the fork ${name}.`);
}

async function createSnapshot(slug: string, name: string, options: SnapshotOptions): Promise<void> {
  const { fork, asOf, weights, datasets, amrs, ownRounds } = options;
  if (fork !== undefined && [weights, datasets, amrs, ownRounds].some((each) => each !== undefined)) {
    throw usageFailure('--fork cannot be combined with --weights, --datasets, --amrs or --own-rounds.');
  }
  const body: SaveSnapshot = {
    name,
    ...weighing(options),
    ...(fork !== undefined && { fork }),
    ...(asOf !== undefined && { asOf }),
  };
  const { api, output } = await sessionOf(options);
  const snapshot = await contentOf(savedboardsSnapshot({ client: api, path: { slug }, body }));
  output.result(
    snapshot,
    `Froze revision ${snapshot.revision} as ${snapshot.name}. Its permanent address: ${snapshot.address}`,
  );
}

async function listSnapshots(slug: string, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const items = await allItems((query) => contentOf(savedboardsSnapshots({ client: api, path: { slug }, query })));
  const none = `${slug} has no snapshots yet. Create one: assay snapshot create ${slug} NAME`;
  output.result({ items }, items.length > 0 ? savedBoardsTable(items) : none);
}

async function showSnapshot(slug: string, name: string, options: ShowOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const snapshot = await contentOf(savedboardsGetSnapshot({ client: api, path: { slug, name } }));
  output.result(snapshot, snapshotText(snapshot, output.width, columnsAsked(options)));
}

const weighing = ({ weights, datasets, amrs = 'official', ownRounds, description = '' }: WeighingOptions) => ({
  weights: nameValues(weights),
  datasets: nameValues(datasets),
  amrs,
  description,
  ...(ownRounds !== undefined && { ownRounds }),
});
