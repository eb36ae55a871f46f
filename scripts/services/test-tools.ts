import { join } from 'node:path';
import type { Cleanup } from './cleanup.js';
import { findProgram, installPackages, whyNotInstall } from './debian-packages.js';
import { bringEngine, type DockerEngine } from './docker-engine.js';

/** Debian packages that tests need, by the name of a program in them. */
const packages = {
  'redis-server': 'redis-server',
  runsc: 'runsc',
  'chromium-headless-shell': 'chromium-headless-shell',
  faketime: 'faketime',
  prometheus: 'prometheus',
  ip: 'iproute2',
} as const;

/**
 * Installs missing Debian packages that tests need. Without them the tests still run: those that
 * need one are skipped with a message.
 */
export async function bringPackages(
  install: 'allowed' | 'refused',
  { directory, progress }: Pick<Cleanup, 'directory' | 'progress'>,
): Promise<void> {
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
 * Finds a Docker engine, or starts one that the cleanup stops. Without it the tests still run:
 * those that need it are skipped with a message.
 */
export function bringTestEngine(install: 'allowed' | 'refused', cleanup: Cleanup): Promise<DockerEngine | undefined> {
  const { directory, progress } = cleanup;
  const plan = { directory: join(directory, 'docker'), logs: directory, install };
  const adopt = (engine: DockerEngine): void =>
    cleanup.add(async () => {
      await engine.process?.stop();
      await engine.release?.();
    });
  return bringEngine(plan, progress, adopt).catch((error: unknown) => {
    progress.say((error as Error).message);
    return undefined;
  });
}
