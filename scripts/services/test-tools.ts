import { join } from 'node:path';
import { findProgram, installPackages, whyNotInstall } from './debian-packages.js';
import { type DockerEngine, findOrStartEngine } from './docker-engine.js';
import type { Progress } from './progress.js';

/** Debian packages that tests need, by the name of a program in them. */
const packages = {
  'redis-server': 'redis-server',
  runsc: 'runsc',
  chromium: 'chromium',
  faketime: 'faketime',
  prometheus: 'prometheus',
  ip: 'iproute2',
} as const;

export interface ToolsPlan {
  readonly install: 'allowed' | 'refused';
  /** Folder for logs, and for the images of a private engine. */
  readonly directory: string;
  readonly progress: Progress;
}

/**
 * Installs missing Debian packages that tests need. Without them the tests still run: those that
 * need one are skipped with a message.
 */
export async function bringPackages({ install, directory, progress }: ToolsPlan): Promise<void> {
  const missing = Object.entries(packages).flatMap(([program, name]) => (findProgram(program) ? [] : [name]));
  if (install === 'refused' || missing.length === 0) return;
  const obstacle = whyNotInstall();
  if (obstacle) {
    progress.say(`Without ${missing.join(', ')}: they cannot be installed because ${obstacle}.`);
    return;
  }
  await progress
    .step(`Installing ${missing.join(', ')}`, () => installPackages(missing, join(directory, 'apt.log')))
    .catch((error: unknown) => progress.say((error as Error).message));
}

/**
 * Finds a Docker engine or starts one. Without it the tests still run: those that need it are
 * skipped with a message.
 */
export function bringEngine({ install, directory, progress }: ToolsPlan): Promise<DockerEngine | undefined> {
  return progress
    .step('Looking for a Docker engine', async (detail) => {
      const plan = { directory: join(directory, 'docker'), logs: directory, install };
      const engine = await findOrStartEngine({ ...plan, say: (text) => progress.say(text) });
      detail(`${engine.version} ${engine.process ? 'started privately' : 'found'} on ${engine.host}`);
      return engine;
    })
    .catch((error: unknown) => {
      progress.say((error as Error).message);
      return undefined;
    });
}
