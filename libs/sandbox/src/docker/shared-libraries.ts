import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Returns the absolute paths of the shared libraries that ELF files of this host link to, including
 * the loader. The libraries have the same paths in an image, where the loader finds them without a
 * cache because these paths are built into it.
 *
 * @throws Error if a library is missing on this host
 */
export async function sharedLibrariesOf(binaries: readonly string[]): Promise<Set<string>> {
  return new Set((await Array.fromAsync(binaries, linkedBy)).flat());
}

async function linkedBy(binary: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ldd', [binary], {
    timeout: 10_000,
    env: { PATH: process.env['PATH'] },
  });
  const missing = /^\s*(\S+) => not found/m.exec(stdout);
  if (missing) throw new Error(`${binary} needs ${missing[1] ?? 'a library'}, which this host does not have`);

  return [...stdout.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm)].map((match) => match[1]!);
}
