import { access, constants } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder that holds `sandboxes/` and `node_modules/`. Looked for upwards, because the code runs from `libs/` in tests
 * and from `dist/` when built.
 *
 * @throws Error where this file is not inside the project
 */
export function projectFolder(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'sandboxes', 'relay', 'relay.mjs'))) return folder;
  }
  throw new Error(`no folder above ${import.meta.dirname} holds sandboxes/relay/relay.mjs`);
}

/** The Node that goes into images: the pinned one of the package, else the one that runs this. */
export async function nodeBinary(): Promise<string> {
  const pinned = join(projectFolder(), 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  try {
    await access(pinned, constants.X_OK);
    return pinned;
  } catch {
    return process.execPath;
  }
}
