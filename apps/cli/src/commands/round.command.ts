import {
  modelsList,
  type OpenRound,
  type RoundCondition,
  roundsClose,
  roundsGet,
  roundsList,
  roundsOpen,
  tasksGet,
} from '@assay/api-client/fetch';
import { Option, type Command } from 'commander';
import { CommandFailure, usageFailure } from '../command-failure.js';
import { allItems } from '../connection/all-items.js';
import { contentOf, type Api } from '../connection/api.js';
import { names } from '../connection/name-values.js';
import { EXIT_CODES } from '../exit-codes.js';
import { roundTable, roundText } from '../format/round-text.js';
import { command, group, sessionOf, type CommonOptions } from './command.js';
import { fraction, roundNumber, sharesOf, turnOf, wholeNumber, type TurnOptions } from './round-options.js';
import { readDefinition } from './task.command.js';

interface OpenOptions extends CommonOptions, TurnOptions {
  readonly number?: number;
  readonly description?: string;
  readonly models?: string;
  readonly conditions?: string;
  readonly shares?: OpenRound['shares'];
}

type CloseOptions = CommonOptions & { readonly pending: 'leave' | 'await' };

export function roundCommand(): Command {
  return group(
    'round',
    'periods in which people write examples against target models',
    command('open', 'open a round')
      .argument('<task>', 'the slug of the task')
      .option('--number <number>', 'the number of the round (default: the one after the newest)', roundNumber)
      .option('--description <text>', 'a description of the round, in Markdown')
      .option(
        '--models <models>',
        'IDs or names of target models, separated by commas (default: those that the policy selects)',
      )
      .option('--examples <count>', 'close the round when this many examples are written', wholeNumber)
      .option('--validated <count>', 'close the round when this many examples are validated', wholeNumber)
      .option('--until <time>', 'close the round at this time, such as 2026-12-24 or 2026-12-24T18:00Z')
      .option(
        '--saturation <share>',
        'close the round when a new model is right on this share of the examples that fooled the target models',
        fraction,
      )
      .option(
        '--conditions <file>',
        'the experimental conditions, in YAML or JSON: a list of {name, prompt, model, share}',
      )
      .option('--shares <train,dev,test>', 'the shares of its contexts in its datasets, such as 0.8,0.1,0.1', sharesOf)
      .addHelpText('after', '\nExample:\n  assay round open nli --models bert --examples 200 --until 2026-12-24')
      .action(openRound),
    command('close', 'close a round; its datasets, the scores, the loop and the next round follow automatically')
      .argument('<task>', 'the slug of the task')
      .argument('[number]', 'the number of the round (default: the newest)', roundNumber)
      .addOption(
        new Option('--pending <what>', 'whether to leave out or await examples that are not validated yet')
          .choices(['leave', 'await'])
          .default('leave'),
      )
      .addHelpText('after', '\nExample:\n  assay round close nli 1')
      .action(closeRound),
    command('status', 'show the progress of a round: models, examples, validations and released data')
      .argument('<task>', 'the slug of the task')
      .argument('[number]', 'the number of the round (default: the newest)', roundNumber)
      .addHelpText('after', '\nExample:\n  assay round status nli')
      .action(showRound),
    command('list', 'list the rounds of a task')
      .argument('<task>', 'the slug of the task')
      .addHelpText('after', '\nExample:\n  assay round list nli')
      .action(listRounds),
  );
}

async function openRound(slug: string, options: OpenOptions): Promise<void> {
  const { number, description, shares } = options;
  const turn = turnOf(options);
  const conditions = options.conditions === undefined ? undefined : await readDefinition(options.conditions);
  const { api, output } = await sessionOf(options);
  const models = options.models === undefined ? undefined : await modelIds(api, slug, names(options.models));
  const body: OpenRound = {
    ...(number !== undefined && { number }),
    description: description ?? '',
    ...(turn && { turn }),
    ...(models && { models }),
    // sent unchecked: the server reports errors in the conditions with their paths
    conditions: (conditions ?? []) as RoundCondition[],
    ...(shares && { shares }),
  };
  const round = await contentOf(roundsOpen({ client: api, path: { slug }, body }));
  const next = `Add contexts to it: assay contexts put ${slug} ${round.number} FILE`;
  output.result(round, `Opened round ${round.number}.\n\n${roundText(round)}\n\n${next}`);
}

async function closeRound(slug: string, number: number | undefined, options: CloseOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const path = { slug, number: String(number ?? (await newestRound(api, slug))) };
  const round = await contentOf(roundsClose({ client: api, path, body: { pending: options.pending } }));
  const next = `The remaining steps run automatically: assay round status ${slug} ${round.number}`;
  output.result(round, `Closed round ${round.number}. It accepts no more examples.\n\n${roundText(round)}\n\n${next}`);
}

async function showRound(slug: string, number: number | undefined, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const path = { slug, number: String(number ?? (await newestRound(api, slug))) };
  const round = await contentOf(roundsGet({ client: api, path }));
  output.result(round, roundText(round));
}

async function listRounds(slug: string, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const items = await allItems((query) => contentOf(roundsList({ client: api, path: { slug }, query })));
  output.result({ items }, items.length > 0 ? roundTable(items) : `No rounds yet. Open one: assay round open ${slug}`);
}

async function newestRound(api: Api, slug: string): Promise<number> {
  const { rounds } = await contentOf(tasksGet({ client: api, path: { slug } }));
  if (rounds.length > 0) return Math.max(...rounds.map(({ number }) => number));
  throw new CommandFailure(
    EXIT_CODES.refused,
    'not_found',
    `${slug} has no rounds yet. Open one: assay round open ${slug}`,
  );
}

/** Returns the IDs of models that are given by ID or by name. */
async function modelIds(api: Api, slug: string, asked: readonly string[]): Promise<string[]> {
  const { items } = await contentOf(modelsList({ client: api, path: { slug }, query: { limit: 100 } }));
  return asked.map((each) => {
    const found = items.filter(({ id, name }) => id === each || name === each);
    if (found.length === 1) return found[0]!.id;
    // the list has 100 models at most: the server checks the ID of a model that is not in it
    if (found.length === 0 && /^[0-9a-f-]{36}$/.test(each)) return each;
    throw usageFailure(
      found.length === 0
        ? `No model of ${slug} is called "${each}". List its models: assay model list ${slug}`
        : `${found.length} models of ${slug} are called "${each}". Give the ID of one (assay model list ${slug}).`,
    );
  });
}
