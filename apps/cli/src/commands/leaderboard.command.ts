import { leaderboardLeaderboard, type LeaderboardLeaderboardData, leaderboardLoop } from '@assay/api-client/fetch';
import { MOST_AGAINST } from '@assay/contracts/boards';
import { ModelKind } from '@assay/contracts/models';
import { Option, type Command } from 'commander';
import { contentOf, operationQuery } from '../connection/api.js';
import { wholeBoard } from '../connection/whole-board.js';
import { type BoardTextOptions, leaderboardText, loopText } from '../format/leaderboard-text.js';
import {
  commandForTask,
  connected,
  printing,
  type Session,
  showTable,
  TABLE_FORMATS,
  type TableForm,
} from './command.js';

interface LeaderboardOptions {
  readonly weights?: string;
  readonly datasets?: string;
  readonly asOf?: string;
  readonly amrs?: string;
  readonly ownRounds?: string;
  readonly exposure?: string;
  readonly kind?: string;
  readonly owner?: string;
  readonly pareto?: string;
  readonly explain?: true;
  readonly against?: string;
  readonly limit?: string;
  readonly byDataset?: true;
  readonly allMetrics?: true;
  readonly format?: TableForm;
}

/** The description of the option that `columnsAsked` reads. */
export const ALL_METRICS = 'show all metrics, also those without weight, and the submissions of each owner';

/** Returns the table columns that the options request. */
export const columnsAsked = ({ allMetrics }: { readonly allMetrics?: true }): Pick<BoardTextOptions, 'columns'> =>
  allMetrics ? { columns: 'all' } : {};

export const leaderboardCommand = (): Command =>
  commandForTask('leaderboard', 'show the leaderboard of a task, with its weights or yours')
    .option('--weights <name:weight,…>', 'weights of metrics, such as accuracy:4,memory:1')
    .option('--datasets <name:weight,…>', 'weights of datasets')
    .option('--as-of <when>', 'a benchmark version (v3), a revision (r17) or a time')
    .addOption(
      new Option('--amrs <which>', 'official: the score as the task defines it; live: the published Dynascore').choices(
        ['official', 'live'],
      ),
    )
    .addOption(
      new Option(
        '--own-rounds <how>',
        'scores on datasets that were collected against the model: adjusted by an estimate, or counted unchanged',
      ).choices(['adjust', 'count']),
    )
    .addOption(
      new Option('--exposure <which>', 'only models that were submitted before any of the data was public').choices([
        'clean',
      ]),
    )
    .addOption(new Option('--kind <kind>', 'only models of one kind; ranks do not change').choices(ModelKind.options))
    .option('--owner <user>', 'only models of one owner; ranks do not change')
    .option(
      '--pareto <metrics>',
      'mark the models that no other beats in all of these metrics, such as accuracy,memory',
    )
    .option('--explain', 'explain the exchange rate of each metric')
    .option(
      '--against <model>',
      'compare the performance of each model with that of a model (ID or name), or with its own on the previous benchmark version (previous); at most 200 rows',
    )
    .option('--by-dataset', 'show the performance on each dataset as well')
    .option('--all-metrics', ALL_METRICS)
    .option(
      '--limit <rows>',
      'the maximum number of rows; default: all, 10,000 in CSV and LaTeX, or 200 with --against',
    )
    .addOption(new Option('--format <form>', 'output format for programs and papers').choices(TABLE_FORMATS))
    .addHelpText(
      'after',
      '\nExample:\n  assay leaderboard nli --weights accuracy:4,memory:1 --pareto accuracy,memory --explain\n\n' +
        '--weights replaces only the weights that it names: accuracy:1,cpu_time:0,memory:0 ranks by accuracy alone. The\n' +
        'table shows the performance and the metrics with weight, in the width of the terminal or of COLUMNS.',
    )
    .action(connected(showLeaderboard));

async function showLeaderboard({ api, output }: Session, slug: string, options: LeaderboardOptions): Promise<void> {
  const { format } = options;
  const query = boardQuery(options);
  if (format === 'csv' || format === 'latex') {
    return showTable(
      output,
      leaderboardLeaderboard({ client: api, path: { slug }, query: { ...query, format }, parseAs: 'text' }),
    );
  }
  const board = await wholeBoard(api, slug, query);
  const only = filterText(options);
  const text = leaderboardText(board, output.width, {
    ...(only !== '' && { only }),
    ...(options.byDataset && { byDataset: true }),
    ...columnsAsked(options),
  });
  output.result(board, format === 'json' ? JSON.stringify(board, null, 2) : text);
}

function boardQuery(options: LeaderboardOptions) {
  const { weights, datasets, asOf, amrs, ownRounds, exposure, kind, owner, pareto, against } = options;
  const limit = options.limit ?? (against === undefined ? undefined : String(MOST_AGAINST));
  const explain = options.explain ? 'true' : undefined;
  const asked = { weights, datasets, asOf, amrs, ownRounds, exposure, kind, owner, pareto, limit, explain, against };
  return operationQuery<LeaderboardLeaderboardData>(asked);
}

const filterText = ({ kind, owner }: LeaderboardOptions): string =>
  [
    ...(kind === undefined && owner === undefined ? [] : ['models']),
    ...(kind === undefined ? [] : [`of kind ${kind}`]),
    ...(owner === undefined ? [] : [`of ${owner}`]),
  ].join(' ');

export const loopCommand = (): Command =>
  commandForTask('loop', 'show the models that the next round is collected against, and why')
    .addHelpText('after', '\nExample:\n  assay loop nli')
    .action(
      printing(
        ({ api }, slug: string) => contentOf(leaderboardLoop({ client: api, path: { slug } })),
        (loop, _session, slug) => loopText(slug, loop),
      ),
    );
