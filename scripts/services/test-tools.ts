import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.js';
import { findProgram, installPackages, whyNotInstall } from './debian-packages.js';
import { bringEngine, type DockerEngine } from './docker-engine.js';

/** The folder of Debian's package python3-psutil. */
export const PSUTIL = '/usr/lib/python3/dist-packages/psutil';

/** Debian packages that tests need, by the name of a program, or the path of a file, in them. */
const packages = {
  'redis-server': 'redis-server',
  runsc: 'runsc',
  'chromium-headless-shell': 'chromium-headless-shell',
  faketime: 'faketime',
  prometheus: 'prometheus',
  ip: 'iproute2',
  [PSUTIL]: 'python3-psutil',
} as const;

/**
 * Installs missing Debian packages that tests need. Without them the tests still run: those that
 * need one are skipped with a message.
 */
export async function bringPackages(
  install: 'allowed' | 'refused',
  { directory, progress }: Pick<Cleanup, 'directory' | 'progress'>,
): Promise<void> {
  const missing = Object.entries(packages).flatMap(([part, name]) => (isInstalled(part) ? [] : [name]));
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

const isInstalled = (part: string): boolean => (part.startsWith('/') ? existsSync(part) : Boolean(findProgram(part)));

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
