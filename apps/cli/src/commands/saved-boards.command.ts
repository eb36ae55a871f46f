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
import { contentOf, defined } from '../connection/api.js';
import { savedBoardsTable, savedBoardText, weighingText } from '../format/saved-board-text.js';
import { commandForTask, group, listing, printing, type Session } from './command.js';
import { ALL_METRICS, columnsAsked } from './leaderboard.command.js';
import { nameValues } from './option-values.js';

interface WeighingOptions {
  readonly weights?: string;
  readonly datasets?: string;
  readonly amrs?: 'official' | 'live';
  readonly ownRounds?: 'adjust' | 'count';
  readonly description?: string;
}

interface ShowOptions {
  readonly allMetrics?: true;
}

interface SnapshotOptions extends WeighingOptions {
  readonly fork?: string;
  readonly asOf?: string;
}

export const forkCommand = (): Command =>
  group(
    'fork',
    'boards with your own weights, saved under a name',
    weighed('create', 'save weights under a name; the board stays up to date')
      .addHelpText('after', '\nExample:\n  assay fork create nli cheap --weights memory:4 --description "small first"')
      .action(
        printing(createFork, (fork, _session, slug) => {
          const next = `Show it: assay fork show ${slug} ${fork.name}`;
          return `Created the fork ${fork.name}. It differs in: ${weighingText(fork.weighing)}.\n${next}`;
        }),
      ),
    commandForTask('list', 'list the forks of a task')
      .addHelpText('after', '\nExample:\n  assay fork list nli')
      .action(
        listing(
          savedboardsForks,
          savedBoardsTable,
          (slug) => `${slug} has no forks yet. Create one: assay fork create ${slug} NAME --weights NAME:WEIGHT,…`,
        ),
      ),
    named('show', 'show the current board with the weights of a fork')
      .option('--all-metrics', ALL_METRICS)
      .addHelpText('after', '\nExample:\n  assay fork show nli cheap')
      .action(
        printing(
          ({ api }, slug: string, name: string, _options: ShowOptions) =>
            contentOf(savedboardsGetFork({ client: api, path: { slug, name } })),
          shownBoard,
        ),
      ),
    named('remove', 'remove one of your forks')
      .addHelpText('after', '\nExample:\n  assay fork remove nli cheap')
      .action(
        printing(
          async ({ api }, slug: string, name: string) => {
            await savedboardsRemoveFork({ client: api, path: { slug, name } });
            return { removed: name };
          },
          ({ removed }) => `Removed the fork ${removed}.`,
        ),
      ),
  );

export const snapshotCommand = (): Command =>
  group(
    'snapshot',
    'boards that are frozen under a name, for example for a paper',
    weighed('create', 'freeze a board; nobody can change or remove it, and its address is permanent')
      .option('--fork <name>', 'use the weights of this fork')
      .option('--as-of <when>', 'a benchmark version (v3), a revision (r17) or a time (default: now)')
      .addHelpText('after', '\nExample:\n  assay snapshot create nli paper-2026 --fork cheap --as-of v3')
      .action(
        printing(
          createSnapshot,
          ({ revision, name, address }) => `Froze revision ${revision} as ${name}. Its permanent address: ${address}`,
        ),
      ),
    commandForTask('list', 'list the snapshots of a task')
      .addHelpText('after', '\nExample:\n  assay snapshot list nli')
      .action(
        listing(
          savedboardsSnapshots,
          savedBoardsTable,
          (slug) => `${slug} has no snapshots yet. Create one: assay snapshot create ${slug} NAME`,
        ),
      ),
    named('show', 'show a frozen board')
      .option('--all-metrics', ALL_METRICS)
      .addHelpText('after', '\nExample:\n  assay snapshot show nli paper-2026')
      .action(
        printing(
          ({ api }, slug: string, name: string, _options: ShowOptions) =>
            contentOf(savedboardsGetSnapshot({ client: api, path: { slug, name } })),
          shownBoard,
        ),
      ),
  );

const shownBoard = (
  saved: Parameters<typeof savedBoardText>[0],
  { output }: Session,
  _slug: string,
  _name: string,
  options: ShowOptions,
): string => savedBoardText(saved, output.width, columnsAsked(options));

const named = (name: string, description: string): Command =>
  commandForTask(name, description).argument('<name>', 'the name (lower-case letters, digits and hyphens)');

const weighed = (name: string, description: string): Command =>
  named(name, description)
    .option('--weights <name:weight,…>', "weights of metrics, instead of the task's")
    .option('--datasets <name:weight,…>', 'weights of datasets')
    .addOption(
      new Option('--amrs <which>', 'official: the score as the task defines it; live: the published Dynascore').choices(
        ['official', 'live'],
      ),
    )
    .addOption(
      new Option('--own-rounds <how>', 'scores on datasets that were collected against the model').choices([
        'adjust',
        'count',
      ]),
    )
    .option('--description <text>', 'a description of the board');

function createFork({ api }: Session, slug: string, name: string, options: WeighingOptions) {
  const body: SaveFork = { name, ...weighing(options) };
  return contentOf(savedboardsFork({ client: api, path: { slug }, body }));
}

function createSnapshot({ api }: Session, slug: string, name: string, options: SnapshotOptions) {
  const { fork, asOf, weights, datasets, amrs, ownRounds } = options;
  if (fork !== undefined && [weights, datasets, amrs, ownRounds].some((each) => each !== undefined)) {
    throw usageFailure('--fork cannot be combined with --weights, --datasets, --amrs or --own-rounds.');
  }
  const body: SaveSnapshot = { name, ...weighing(options), ...defined({ fork, asOf }) };
  return contentOf(savedboardsSnapshot({ client: api, path: { slug }, body }));
}

const weighing = ({ weights, datasets, amrs = 'official', ownRounds, description = '' }: WeighingOptions) => ({
  weights: nameValues(weights),
  datasets: nameValues(datasets),
  amrs,
  description,
  ...defined({ ownRounds }),
});
