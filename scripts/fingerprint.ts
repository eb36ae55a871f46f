import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the SHA-256, in hexadecimal, of the names and contents of all files at or below `paths`
 * (relative to `root`) for which `counts` returns true.
 */
export function fingerprint(root: string, paths: readonly string[], counts: (path: string) => boolean): string {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((start) => filesBelow(root, start)).sort()) {
    if (!counts(path)) continue;
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function filesBelow(root: string, path: string): string[] {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(join(root, path))
    .filter((name) => name !== 'node_modules' && name !== 'dist')
    .flatMap((name) => filesBelow(root, `${path}/${name}`));
}
