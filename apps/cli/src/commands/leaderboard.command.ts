import { Option, type Command } from 'commander';
import { contentOf } from '../connection/api.js';
import { queryText } from '../connection/query-text.js';
import { leaderboardText } from '../format/leaderboard-text.js';
import { loopText } from '../format/loop-text.js';
import { command, sessionOf, type CommonOptions } from './command.js';
import { showTable, TABLE_FORMATS, type TableForm } from './table-format.js';

interface LeaderboardOptions extends CommonOptions {
  readonly weights?: string;
  readonly datasets?: string;
  readonly asOf?: string;
  readonly amrs?: string;
  readonly ownRounds?: string;
  readonly limit?: string;
  readonly format?: TableForm;
}

export function leaderboardCommand(): Command {
  return command('leaderboard', 'rank the models of a task, by its weights or by yours')
    .argument('<task>', 'the slug of the task')
    .option('--weights <name:weight,…>', 'what matters to you, such as accuracy:4,memory:1')
    .option('--datasets <name:weight,…>', 'how much each dataset counts')
    .option('--as-of <when>', 'v3 (of a benchmark version), r17 (a revision), or a time')
    .addOption(new Option('--amrs <which>', 'exchange rates between metrics').choices(['official', 'live']))
    .addOption(new Option('--own-rounds <how>', 'rounds against the model itself').choices(['adjust', 'count']))
    .option('--limit <rows>', 'at most so many rows')
    .addOption(new Option('--format <form>', 'for programs and papers').choices(TABLE_FORMATS))
    .action(showLeaderboard);
}

async function showLeaderboard(slug: string, options: LeaderboardOptions): Promise<void> {
  const { weights, datasets, asOf, amrs, ownRounds, limit, format } = options;
  const { api, output } = await sessionOf(options);
  if (format === 'csv' || format === 'latex') {
    const path = { slug };
    const querySerializer = () => queryText({ weights, datasets, asOf, amrs, ownRounds, limit, format });
    const request = { params: { path }, querySerializer, parseAs: 'text' } as const;
    await showTable(output, api.GET('/api/v1/tasks/{slug}/leaderboard', request));
    return;
  }
  const board = await contentOf(
    api.GET('/api/v1/tasks/{slug}/leaderboard', {
      params: { path: { slug } },
      querySerializer: () => queryText({ weights, datasets, asOf, amrs, ownRounds, limit }),
    }),
  );
  output.result(board, format === 'json' ? JSON.stringify(board, null, 2) : leaderboardText(board, output.width));
}

export function loopCommand(): Command {
  return command('loop', 'show the models that the next round is collected against, and why')
    .argument('<task>', 'the slug of the task')
    .action(async (slug: string, options: CommonOptions) => {
      const { api, output } = await sessionOf(options);
      const loop = await contentOf(api.GET('/api/v1/tasks/{slug}/loop', { params: { path: { slug } } }));
      output.result(loop, loopText(slug, loop));
    });
}
