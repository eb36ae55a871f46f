import { existsSync } from 'node:fs';
import { tasksGet } from '@assay/api-client/fetch';
import { TaskDefinition, TaskLimits, type TaskOutput } from '@assay/contracts/tasks';
import { usageFailure } from '../command-failure.js';
import { readDefinition } from '../commands/task.command.js';
import { contentOf, type Api } from '../connection/api.js';

/** The requirements that a model is checked against. */
export interface CheckTerms {
  /**
   * Slug of the task. Null without a task: any text is then a valid input, and the answers are
   * counted but not validated.
   */
  readonly task: string | null;
  readonly inputs: TaskDefinition['inputs'];
  readonly output: TaskOutput | null;
  readonly limits: TaskLimits;
  readonly runtime: NonNullable<TaskDefinition['runtime']>;
  /** The definition of the task, by which answers are scored. Null without a task. */
  readonly definition: TaskDefinition | null;
  /** The public datasets, oldest first. */
  readonly publicDatasets: readonly PublicDataset[];
}

export interface PublicDataset {
  readonly name: string;
  readonly examples: number;
  /** sha256 of its uploaded bytes, in hexadecimal. */
  readonly digest: string;
}

/** Every key of a task definition. A task on the server has more, such as its datasets. */
const DEFINITION_KEYS = Object.keys(TaskDefinition.shape);

/**
 * Returns the requirements of a task on the server (`task` is its slug), of a task definition file
 * on this machine, or the defaults without a task.
 *
 * @throws CommandFailure if the file is not a valid task definition
 */
export async function checkTerms(task: string | undefined, api: () => Promise<Api>): Promise<CheckTerms> {
  if (task === undefined) {
    const inputs: CheckTerms['inputs'] = [{ name: 'text', type: 'text' }];
    const limits = TaskLimits.parse({});
    return { task: null, inputs, output: null, limits, runtime: 'runc', definition: null, publicDatasets: [] };
  }
  if (existsSync(task)) return termsOf(await definitionIn(task), []);

  const view = await contentOf(tasksGet({ client: await api(), path: { slug: task } }));
  const definition = TaskDefinition.parse(
    Object.fromEntries(Object.entries(view).filter(([key]) => DEFINITION_KEYS.includes(key))),
  );
  return termsOf(
    definition,
    view.datasets.filter(({ visibility }) => visibility === 'public'),
  );
}

const termsOf = (definition: TaskDefinition, publicDatasets: readonly PublicDataset[]): CheckTerms => {
  const { slug, inputs, output, limits, runtime = 'runc' } = definition;
  return { task: slug, inputs, output, limits, runtime, definition, publicDatasets };
};

async function definitionIn(file: string): Promise<TaskDefinition> {
  const parsed = TaskDefinition.safeParse(await readDefinition(file));
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw usageFailure([`${file} is not a valid task definition:`, ...lines].join('\n'));
}
