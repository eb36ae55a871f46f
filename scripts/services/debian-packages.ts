import { accessSync, appendFileSync, constants, existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { runCommand } from '../command.js';

/**
 * Returns the path of a program on PATH or in one of Debian's folders for system programs, or
 * undefined.
 */
export function findProgram(name: string): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  return places.map((place) => join(place, name)).find((path) => isAccessible(path, constants.X_OK));
}

/** Returns whether `path` exists and this process may access it in that mode. */
export function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns why this process cannot install Debian packages, in words that end a sentence, or
 * undefined if it can.
 */
export function whyNotInstall(): string | undefined {
  if (!existsSync('/etc/debian_version') || !findProgram('apt-get')) return 'this is not Debian';
  return process.getuid?.() === 0 ? undefined : 'this is not root';
}

/** Installs packages without recommended ones. The output of apt is appended to `log`. */
export async function installPackages(packages: readonly string[], log: string): Promise<void> {
  const options = ['-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3'];
  mkdirSync(dirname(log), { recursive: true });
  await apt(['update', '-q'], log);
  await apt(['install', ...options, ...packages], log);
}

async function apt(parameters: readonly string[], log: string): Promise<void> {
  const { code, output } = await runCommand('apt-get', parameters, {
    environment: { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
    // an interrupted installation leaves the packages of the machine half configured
    fate: 'own',
    onOutput: (text) => appendFileSync(log, text),
  });
  if (code !== 0) {
    const end = output.trimEnd().split('\n').slice(-8).join('\n  ');
    throw new Error(`apt-get ${parameters[0] ?? ''} failed (code ${code}). The end of ${log}:\n  ${end}`);
  }
}
