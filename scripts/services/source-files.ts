import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../command.js';

const GENERATED = /\.gen\.ts$|^libs\/api-client\/src\/|^apps\/api\/migrations\/|(?:^|\/)node_modules\//;

/** Returns the files below the folders, as paths in the project: without generated ones and migrations. */
export function sourceFiles(folders: readonly string[]): string[] {
  const below = folders.flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  return below.filter((path) => !GENERATED.test(path));
}
