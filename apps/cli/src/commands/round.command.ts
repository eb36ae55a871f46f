import {
  type CloseRound,
  modelsList,
  type OpenRound,
  planningRoundCosts,
  type RoundCondition,
  roundsClose,
  roundsGet,
  roundsList,
  roundsOpen,
  tasksGet,
} from '@assay/api-client/fetch';
import { Option, type Command } from 'commander';
import { CommandFailure, usageFailure } from '../command-failure.js';
import { contentOf, defined, type Api } from '../connection/api.js';
import { roundCostsText } from '../format/plan-text.js';
import { roundTable, roundText } from '../format/round-text.js';
import { commandForTask, group, listing, printing, type Session } from './command.js';
import { fraction, names, sharesOf, turnOf, wholeNumber, type TurnOptions } from './option-values.js';
import { readDefinition } from './task.command.js';

interface OpenOptions extends TurnOptions {
  readonly number?: number;
  readonly description?: string;
  readonly models?: string;
  readonly conditions?: string;
  readonly shares?: OpenRound['shares'];
}

export const roundCommand = (): Command =>
  group(
    'round',
    'periods in which people write examples against target models',
    commandForTask('open', 'open a round')
      .option('--number <number>', 'the number of the round (default: the one after the newest)', wholeNumber)
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
      .action(
        printing(openRound, (round, _session, slug) => {
          const next = `Add contexts to it: assay contexts put ${slug} ${round.number} FILE`;
          return `Opened round ${round.number}.\n\n${roundText(round)}\n\n${next}`;
        }),
      ),
    commandForTask('close', 'close a round; its datasets, the scores, the loop and the next round follow automatically')
      .argument('[number]', 'the number of the round (default: the newest)', wholeNumber)
      .addOption(
        new Option('--pending <what>', 'whether to leave out or await examples that are not validated yet')
          .choices(['leave', 'await'])
          .default('leave'),
      )
      .addHelpText('after', '\nExample:\n  assay round close nli 1')
      .action(
        printing(
          async ({ api }, slug: string, number: number | undefined, { pending }: Required<CloseRound>) =>
            contentOf(roundsClose({ client: api, path: await roundPath(api, slug, number), body: { pending } })),
          (round, _session, slug) => {
            const next = `The remaining steps run automatically: assay round status ${slug} ${round.number}`;
            return `Closed round ${round.number}. It accepts no more examples.\n\n${roundText(round)}\n\n${next}`;
          },
        ),
      ),
    commandForTask('status', 'show the progress of a round: models, examples, validations and released data')
      .argument('[number]', 'the number of the round (default: the newest)', wholeNumber)
      .addHelpText('after', '\nExample:\n  assay round status nli')
      .action(
        printing(
          async ({ api }, slug: string, number: number | undefined) =>
            contentOf(roundsGet({ client: api, path: await roundPath(api, slug, number) })),
          (round) => roundText(round),
        ),
      ),
    commandForTask('costs', 'show what the examples of a round have cost in pay; for the owner of the task')
      .argument('[number]', 'the number of the round (default: the newest)', wholeNumber)
      .addHelpText('after', '\nExample:\n  assay round costs nli 2')
      .action(
        printing(
          async ({ api }, slug: string, number: number | undefined) =>
            contentOf(planningRoundCosts({ client: api, path: await roundPath(api, slug, number) })),
          (costs) => roundCostsText(costs),
        ),
      ),
    commandForTask('list', 'list the rounds of a task')
      .addHelpText('after', '\nExample:\n  assay round list nli')
      .action(listing(roundsList, roundTable, (slug) => `No rounds yet. Open one: assay round open ${slug}`)),
  );

async function openRound({ api }: Session, slug: string, options: OpenOptions) {
  const { number, description = '', shares, models, conditions } = options;
  const body: OpenRound = {
    ...defined({ number, turn: turnOf(options), shares }),
    description,
    // sent unchecked: the server reports errors in the conditions with their paths
    conditions: (conditions === undefined ? [] : await readDefinition(conditions)) as RoundCondition[],
    ...(models !== undefined && { models: await modelIds(api, slug, names(models)) }),
  };
  return contentOf(roundsOpen({ client: api, path: { slug }, body }));
}

const roundPath = async (api: Api, slug: string, number: number | undefined) => ({
  slug,
  number: String(number ?? (await newestRound(api, slug))),
});

async function newestRound(api: Api, slug: string): Promise<number> {
  const { rounds } = await contentOf(tasksGet({ client: api, path: { slug } }));
  if (rounds.length > 0) return Math.max(...rounds.map(({ number }) => number));
  throw new CommandFailure('refused', 'not_found', `${slug} has no rounds yet. Open one: assay round open ${slug}`);
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
