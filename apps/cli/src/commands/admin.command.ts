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

const ON_THE_API =
  '\nRun this command on the machine of the API. It uses the database in DATABASE_URL and the files in ASSAY_HOME (default .assay).\n';
const ON_THE_WORKER =
  '\nRun this command on the machine of the worker. It uses the files in ASSAY_HOME (default .assay).\n';

const API_PROGRAM = 'services/apps/api/src/access/admin.js';

/**
 * The programs that do the work, with their first arguments, by command. The paths are relative to
 * the folder of the build.
 */
export const ADMIN_PROGRAMS = {
  backup: [API_PROGRAM, 'backup'],
  restore: [API_PROGRAM, 'restore'],
  'rotate-signing-key': ['services/apps/worker/src/signing/rotate-signing-key.js'],
} as const;

export const adminCommand = (): Command =>
  group(
    'admin',
    'operator commands, on the machine of the service',
    local('backup', 'back up the database, the files and the keys of a service, which may be running')
      .argument('<directory>', 'the backup folder; files that it already contains are not copied again')
      .option('--keep <count>', 'how many snapshots to keep; older ones are removed')
      .addHelpText('after', `${ON_THE_API}\nExample:\n  assay admin backup /backups/assay --keep 14`)
      .action((directory: string, options: AdminOptions) => run('backup', [directory], options)),
    local('restore', 'restore a service from a backup, into an empty database and an empty home')
      .argument('<directory>', 'a folder that `assay admin backup` wrote')
      .option('--snapshot <name>', 'the name of a snapshot in its folder snapshots (default: the newest)')
      .addHelpText('after', `${ON_THE_API}\nExample:\n  assay admin restore /backups/assay`)
      .action((directory: string, options: AdminOptions) => run('restore', [directory], options)),
    local('rotate-signing-key', 'retire the key that signs results, and create another; the service may be running')
      .addHelpText('after', `${ON_THE_WORKER}\nExample:\n  assay admin rotate-signing-key`)
      .action((options: AdminOptions) => run('rotate-signing-key', [], options)),
  );

const local = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print the result as JSON on standard output');

/**
 * Runs a program of the service in a child process: the API owns the database schema, and the worker
 * the signing key. The child reports its result or error itself, and its exit code becomes that of
 * the command.
 *
 * @throws CommandFailure `no_service_here` if the service is not built in this folder
 */
async function run(
  work: keyof typeof ADMIN_PROGRAMS,
  directories: readonly string[],
  options: AdminOptions,
): Promise<void> {
  const { keep, snapshot, json } = options;
  if (keep !== undefined && !/^[1-9]\d*$/.test(keep))
    throw usageFailure('--keep requires the number of snapshots to keep, 1 or more.');
  const [file, ...first] = ADMIN_PROGRAMS[work];
  const program = join(import.meta.dirname, '..', file);
  if (!existsSync(program)) {
    throw new CommandFailure(
      'usage',
      'no_service_here',
      'No built service found. Run this command on the machine of the service, from its folder: scripts/assay admin …',
    );
  }
  const words = [
    ...first,
    ...directories,
    ...(keep ? ['--keep', keep] : []),
    ...(snapshot ? ['--snapshot', snapshot] : []),
  ];
  const child = spawn(process.execPath, [program, ...words, ...(json ? ['--json'] : [])], { stdio: 'inherit' });
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? EXIT_CODES.unexpected));
  });
}
