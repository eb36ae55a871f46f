import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TaskDefinition } from '@assay/contracts/tasks';
import { parse } from 'yaml';
import { usageFailure } from '../command-failure.js';

const PLACE = 'libs/tasks/ready';

/** Returns the names of the task definitions that come with Assay. */
export async function readyTasks(): Promise<readonly string[]> {
  const files = await readdir(readyFolder());
  return files.flatMap((file) => (file.endsWith('.yaml') ? [basename(file, '.yaml')] : [])).sort();
}

/**
 * Returns the source text of a definition, including its comments.
 *
 * @throws CommandFailure if no definition has that name
 */
export async function readyTaskText(name: string): Promise<string> {
  const known = await readyTasks();
  if (!known.includes(name))
    throw usageFailure(`Assay has no ready task "${name}". The ready tasks are ${known.join(', ')}.`);
  return readFile(join(readyFolder(), `${name}.yaml`), 'utf8');
}

export async function readyTask(name: string): Promise<TaskDefinition> {
  return TaskDefinition.parse(parse(await readyTaskText(name)));
}

/**
 * Returns the folder of the definitions. Searches upwards, because the code runs from `apps/` in
 * tests, from `dist/` when built, and next to the folder when packed.
 */
function readyFolder(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, PLACE))) return join(folder, PLACE);
  }
  throw new Error(`no folder above ${import.meta.dirname} holds ${PLACE}`);
}
