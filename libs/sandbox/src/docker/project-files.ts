import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Returns the folder that contains `sandboxes/` and `node_modules/`. Searches upwards, because the
 * code runs from `libs/` in tests and from `dist/` when built.
 *
 * @throws Error if this file is not inside the project
 */
export function projectFolder(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'sandboxes', 'relay', 'relay.mjs'))) return folder;
  }
  throw new Error(`no folder above ${import.meta.dirname} contains sandboxes/relay/relay.mjs`);
}

/**
 * Returns the path of the Node binary for images: the pinned one of the package, or else the one
 * that runs this process.
 */
export async function nodeBinary(): Promise<string> {
  const pinned = join(projectFolder(), 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  try {
    await access(pinned, constants.X_OK);
    return pinned;
  } catch {
    return process.execPath;
  }
}
