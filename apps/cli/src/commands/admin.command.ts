import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { CommandFailure, EXIT_CODES, usageFailure } from '../command-failure.js';
import { group } from './command.js';

interface AdminOptions {
  readonly json?: boolean;
  readonly keep?: string;
  readonly snapshot?: string;
}

const WHERE =
  '\nRun this command on the machine of the API. It uses the database in DATABASE_URL and the files in ASSAY_HOME (default .assay).\n';

/** The API's admin program, relative to the folder of the build. */
export const ADMIN_PROGRAM = 'services/apps/api/src/access/admin.js';

export const adminCommand = (): Command =>
  group(
    'admin',
    'operator commands, on the machine of the service',
    local('backup', 'back up the database, the files and the keys of a service, which may be running')
      .argument('<directory>', 'the backup folder; files that it already contains are not copied again')
      .option('--keep <count>', 'how many snapshots to keep; older ones are removed')
      .addHelpText('after', `${WHERE}\nExample:\n  assay admin backup /backups/assay --keep 14`)
      .action((directory: string, options: AdminOptions) => run('backup', directory, options)),
    local('restore', 'restore a service from a backup, into an empty database and an empty home')
      .argument('<directory>', 'a folder that `assay admin backup` wrote')
      .option('--snapshot <name>', 'the name of a snapshot in its folder snapshots (default: the newest)')
      .addHelpText('after', `${WHERE}\nExample:\n  assay admin restore /backups/assay`)
      .action((directory: string, options: AdminOptions) => run('restore', directory, options)),
    local('rotate-signing-key', 'retire the key that signs results, and create another; the service may be running')
      .addHelpText('after', `${WHERE}\nExample:\n  assay admin rotate-signing-key`)
      .action((options: AdminOptions) => run('rotate-signing-key', null, options)),
  );

const local = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print the result as JSON on standard output');

/**
 * Runs the API's own admin program in a child process, because the API owns the database schema.
 * The child reports its result or error itself, and its exit code becomes that of the command.
 *
 * @throws CommandFailure `no_service_here` if the service is not built in this folder
 */
async function run(
  work: 'backup' | 'restore' | 'rotate-signing-key',
  directory: string | null,
  options: AdminOptions,
): Promise<void> {
  const { keep, snapshot, json } = options;
  if (keep !== undefined && !/^[1-9]\d*$/.test(keep))
    throw usageFailure('--keep requires the number of snapshots to keep, 1 or more.');
  const program = join(import.meta.dirname, '..', ADMIN_PROGRAM);
  if (!existsSync(program)) {
    throw new CommandFailure(
      'usage',
      'no_service_here',
      'No built service found. Run this command on the machine of the service, from its folder: scripts/assay admin …',
    );
  }
  const words = [
    work,
    ...(directory === null ? [] : [directory]),
    ...(keep ? ['--keep', keep] : []),
    ...(snapshot ? ['--snapshot', snapshot] : []),
  ];
  const child = spawn(process.execPath, [program, ...words, ...(json ? ['--json'] : [])], { stdio: 'inherit' });
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? EXIT_CODES.unexpected));
  });
}
