import { leaderboardLeaderboard, type LeaderboardLeaderboardData, leaderboardLoop } from '@assay/api-client/fetch';
import { ModelKind } from '@assay/contracts/models';
import { Option, type Command } from 'commander';
import { contentOf } from '../connection/api.js';
import { operationQuery } from '../connection/operation-query.js';
import { type BoardTextOptions, leaderboardText } from '../format/leaderboard-text.js';
import { loopText } from '../format/loop-text.js';
import { command, sessionOf, type CommonOptions } from './command.js';
import { showTable, TABLE_FORMATS, type TableForm } from './table-format.js';

interface LeaderboardOptions extends CommonOptions {
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
  readonly limit?: string;
  readonly byDataset?: true;
  readonly allMetrics?: true;
  readonly format?: TableForm;
}

/** The description of the option that `columnsAsked` reads. */
export const ALL_METRICS = 'shows all metrics, also those that do not weigh, and the submissions of each owner';

/** Returns the table columns that the options request. */
export const columnsAsked = ({ allMetrics }: { readonly allMetrics?: true }): Pick<BoardTextOptions, 'columns'> =>
  allMetrics ? { columns: 'all' } : {};

export function leaderboardCommand(): Command {
  return command('leaderboard', 'rank the models of a task, by its weights or by yours')
    .argument('<task>', 'the slug of the task')
    .option('--weights <name:weight,…>', 'what matters to you, such as accuracy:4,memory:1')
    .option('--datasets <name:weight,…>', 'how much each dataset counts')
    .option('--as-of <when>', 'v3 (of a benchmark version), r17 (a revision), or a time')
    .addOption(new Option('--amrs <which>', 'exchange rates between metrics').choices(['official', 'live']))
    .addOption(
      new Option(
        '--own-rounds <how>',
        'figures on datasets that were collected against the model: estimated, or counted as they are',
      ).choices(['adjust', 'count']),
    )
    .addOption(
      new Option('--exposure <which>', 'only models that were submitted before any of the data was public').choices([
        'clean',
      ]),
    )
    .addOption(new Option('--kind <kind>', 'shows models of one kind; ranks stay').choices(ModelKind.options))
    .option('--owner <user>', 'shows models of one owner; ranks stay')
    .option('--pareto <metrics>', 'marks the models that no other beats in all of these, such as accuracy,memory')
    .option('--explain', 'explains how the exchange rates between metrics were estimated')
    .option('--by-dataset', 'shows the performance on each dataset as well')
    .option('--all-metrics', ALL_METRICS)
    .option('--limit <rows>', 'the maximum number of rows')
    .addOption(new Option('--format <form>', 'for programs and papers').choices(TABLE_FORMATS))
    .addHelpText(
      'after',
      '\nExample:\n  assay leaderboard nli --weights accuracy:4,memory:1 --pareto accuracy,memory --explain\n\n' +
        'Weights replace those that they name: accuracy:1,throughput:0,memory:0 is accuracy alone. The table shows the\n' +
        'performance and what weighs, in the width of the terminal or of COLUMNS.',
    )
    .action(showLeaderboard);
}

async function showLeaderboard(slug: string, options: LeaderboardOptions): Promise<void> {
  const { format } = options;
  const { api, output } = await sessionOf(options);
  const request = { client: api, path: { slug } };
  const query = boardQuery(options);
  if (format === 'csv' || format === 'latex') {
    const table = leaderboardLeaderboard({ ...request, query: { ...query, format }, parseAs: 'text' });
    await showTable(output, table);
    return;
  }
  const board = await contentOf(leaderboardLeaderboard({ ...request, query }));
  const only = filterText(options);
  const text = leaderboardText(board, output.width, {
    ...(only !== '' && { only }),
    ...(options.byDataset && { byDataset: true }),
    ...columnsAsked(options),
  });
  output.result(board, format === 'json' ? JSON.stringify(board, null, 2) : text);
}

function boardQuery(options: LeaderboardOptions) {
  const { weights, datasets, asOf, amrs, ownRounds, exposure, kind, owner, pareto, limit } = options;
  const explain = options.explain ? 'true' : undefined;
  const asked = { weights, datasets, asOf, amrs, ownRounds, exposure, kind, owner, pareto, limit, explain };
  return operationQuery<LeaderboardLeaderboardData>(asked);
}

const filterText = ({ kind, owner }: LeaderboardOptions): string =>
  [
    ...(kind === undefined && owner === undefined ? [] : ['models']),
    ...(kind === undefined ? [] : [`of kind ${kind}`]),
    ...(owner === undefined ? [] : [`of ${owner}`]),
  ].join(' ');

export function loopCommand(): Command {
  return command('loop', 'show the models that the next round is collected against, and why')
    .argument('<task>', 'the slug of the task')
    .addHelpText('after', '\nExample:\n  assay loop nli')
    .action(async (slug: string, options: CommonOptions) => {
      const { api, output } = await sessionOf(options);
      const loop = await contentOf(leaderboardLoop({ client: api, path: { slug } }));
      output.result(loop, loopText(slug, loop));
    });
}
