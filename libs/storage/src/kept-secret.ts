import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A secret of this installation: what the file at `path` holds (mode 600), made by `make` where there is none yet. Of several processes that
 * make one at the same time the first wins, and all use its.
 */
export async function keptSecret(path: string, make: () => string): Promise<string> {
  const present = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (present !== null) return present;

  await mkdir(dirname(path), { recursive: true });
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, make(), { mode: 0o600, flag: 'wx' });
  await link(written, path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  await rm(written);
  return readFile(path, 'utf8');
}
