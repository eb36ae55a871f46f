import { type ManagedUser, usersChange, usersList } from '@assay/api-client/fetch';
import type { Command } from 'commander';
import { usageFailure } from '../command-failure.js';
import { allItems, contentOf } from '../connection/api.js';
import { command, group, printing, type Session } from './command.js';

interface VerifyOptions {
  readonly undo?: true;
}

export const userCommand = (): Command =>
  group(
    'user',
    'accounts, for administrators',
    command('verify', 'verify an account without a mail, so that it may submit to tasks with hidden data')
      .argument('<username>', 'the username of the account')
      .option('--undo', 'take the verification by an administrator back')
      .addHelpText('after', '\nExample:\n  assay user verify ada')
      .action(printing(verify, verifiedText)),
  );

async function verify({ api }: Session, username: string, { undo }: VerifyOptions): Promise<ManagedUser> {
  const users = await allItems((query) => usersList({ client: api, query: { ...query, query: username } }));
  const user = users.find((each) => each.username.toLowerCase() === username.toLowerCase());
  if (!user) throw usageFailure(`No account has the username ${username}.`);
  return contentOf(usersChange({ client: api, path: { id: user.id }, body: { verified: !undo } }));
}

function verifiedText({ username, verified, verifiedAt }: ManagedUser): string {
  if (verifiedAt !== null) return `The account ${username} is verified.`;
  return verified
    ? `No administrator verifies ${username} any more. The account stays verified by mail, by an invitation or by its role.`
    : `The account ${username} is not verified any more.`;
}
