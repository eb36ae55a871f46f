import { evaluatorsList, evaluatorsRegister, evaluatorsRemove } from '@assay/api-client/fetch';
import type { Command } from 'commander';
import { usageFailure } from '../command-failure.js';
import { contentOf, defined } from '../connection/api.js';
import { evaluatorsText, registeredText } from '../format/evaluator-text.js';
import { command, group, printing, type Session } from './command.js';

interface RegisterOptions {
  readonly own?: true;
}

export const evaluatorCommand = (): Command =>
  group(
    'evaluator',
    'evaluators: the hosts that run models',
    command('register', 'register an evaluator and print its token, which is shown only once')
      .argument('<name>', 'a name that no other registered evaluator has (letters, digits, ".", "_" and "-")')
      .option(
        '--own',
        'only for models on your own tasks: yours, and those whose owners allow it (default for everyone but administrators)',
      )
      .addHelpText('after', '\nExample:\n  assay evaluator register gpu-1')
      .action(
        printing(
          ({ api }, name: string, { own }: RegisterOptions) =>
            contentOf(evaluatorsRegister({ client: api, body: { name, ...defined({ own }) } })),
          (registered, { server }) => registeredText(registered, server.url),
        ),
      ),
    command('list', 'list your registered evaluators; administrators see all of them')
      .addHelpText('after', '\nExample:\n  assay evaluator list')
      .action(printing(({ api }) => contentOf(evaluatorsList({ client: api })), evaluatorsText)),
    command('remove', 'remove an evaluator; its token stops working immediately')
      .argument('<evaluator>', 'the name or the ID of the evaluator')
      .addHelpText('after', '\nExample:\n  assay evaluator remove gpu-1')
      .action(printing(remove, ({ removed }) => `Removed the evaluator ${removed}. Its token no longer works.`)),
  );

async function remove({ api }: Session, given: string): Promise<{ readonly removed: string; readonly id: string }> {
  const { items } = await contentOf(evaluatorsList({ client: api }));
  const evaluator = items.find(({ id }) => id === given) ?? items.find(({ name }) => name === given);
  if (!evaluator) {
    throw usageFailure(`No registered evaluator has the name or ID ${given}. List them: assay evaluator list`);
  }
  const { id, name } = evaluator;
  await evaluatorsRemove({ client: api, path: { id } });
  return { removed: name, id };
}
