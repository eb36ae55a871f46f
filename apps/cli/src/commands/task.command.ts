import { readFile } from 'node:fs/promises';
import {
  overviewOverview,
  type TaskDefinition,
  tasksChange,
  tasksCreate,
  tasksGet,
  tasksList,
} from '@assay/api-client/fetch';
import type { Command } from 'commander';
import { parse, YAMLParseError } from 'yaml';
import { usageFailure } from '../command-failure.js';
import { allItems, contentOf } from '../connection/api.js';
import { count } from '../format/numbers.js';
import { readyTasksText, tasksText, taskText } from '../format/task-text.js';
import { command, commandForTask, group, outputOf, printing, type CommonOptions, type Session } from './command.js';
import { readyTask, readyTasks, readyTaskText } from './ready-tasks.js';
import { changeOf, isObject, joined } from './task-changes.js';

interface CreateOptions {
  readonly ready?: string;
  readonly slug?: string;
}

export const taskCommand = (): Command =>
  group(
    'task',
    'tasks: definitions with inputs, an output and metrics',
    command('create', 'create a task from your own definition, or from one that comes with Assay')
      .argument('[file]', 'the definition, in YAML or JSON')
      .option('--ready <name>', 'a definition that comes with Assay (see assay task ready)')
      .option('--slug <slug>', 'a slug to use instead of the one in the definition')
      .addHelpText('after', '\nExample:\n  assay task create nli.yaml\n  assay task create --ready nli --slug my-nli')
      .action(printing(createTask, (task) => `Created the task ${task.slug}.\n\n${taskText(task)}`)),
    command('ready', 'list the definitions that come with Assay, or print one to start from')
      .argument('[name]', 'the name of the definition to print')
      .addHelpText('after', '\nExample:\n  assay task ready nli > my-nli.yaml')
      .action(showReady),
    command('list', 'list all tasks, with their open rounds and leading models')
      .addHelpText('after', '\nExample:\n  assay task list')
      .action(printing(listTasks, ({ items }) => tasksText(items))),
    commandForTask('show', 'show a task, with its datasets')
      .addHelpText('after', '\nExample:\n  assay task show nli')
      .action(
        printing(
          ({ api }, slug: string) => contentOf(tasksGet({ client: api, path: { slug } })),
          (task) => taskText(task),
        ),
      ),
    commandForTask('change', 'change a task, and show how many evaluations are scored again')
      .argument('<changes...>', 'key=value, or a file (YAML or JSON) with the keys that change; null removes a key')
      .addHelpText(
        'after',
        '\nExample:\n  assay task change nli loop.size=2 slices=[genre] weights.memory=0\n\n' +
          'No model runs again. Scores are computed from the stored predictions.',
      )
      .action(
        printing(changeTask, (task) => {
          const { rescored = 0 } = task;
          const again =
            rescored === 0
              ? 'No score changes.'
              : `${count(rescored)} ${rescored === 1 ? 'evaluation is' : 'evaluations are'} scored again from stored predictions; no model runs.`;
          return `Changed the task ${task.slug}. ${again}\n\n${taskText(task)}`;
        }),
      ),
  );

async function createTask({ api }: Session, file: string | undefined, { ready, slug }: CreateOptions) {
  if ((file === undefined) === (ready === undefined)) {
    throw usageFailure('Give either a file with a definition, or --ready NAME for one that comes with Assay.');
  }
  const definition = file === undefined ? await readyTask(ready!) : await readDefinition(file);
  // the server validates the definition; it reports line numbers if the file is sent unchanged
  const isWritten = file !== undefined && slug === undefined;
  const body = (slug === undefined || !isObject(definition) ? definition : { ...definition, slug }) as TaskDefinition;
  return contentOf(tasksCreate({ client: api, body, ...(isWritten && (await yamlText(file))) }));
}

/** Returns request options that send the YAML file unchanged in place of the parsed body. */
async function yamlText(file: string) {
  const text = await readFile(file, 'utf8');
  // the generated type only allows JSON
  const body = text as unknown as TaskDefinition;
  return { headers: { 'content-type': 'application/yaml' }, body, bodySerializer: null };
}

async function showReady(name: string | undefined, options: CommonOptions): Promise<void> {
  const output = outputOf(options);
  if (name !== undefined) {
    const text = await readyTaskText(name);
    output.result(parse(text), text.trimEnd());
    return;
  }
  const tasks = await Promise.all((await readyTasks()).map(readyTask));
  output.result({ items: tasks }, `${readyTasksText(tasks)}\n\nCreate one: assay task create --ready NAME`);
}

async function listTasks({ api }: Session) {
  const [tasks, overview] = await Promise.all([
    allItems((query) => tasksList({ client: api, query })),
    allItems((query) => overviewOverview({ client: api, query })),
  ]);
  const standings = new Map(overview.map((item) => [item.task, item]));
  // a task that was created between the two requests is not in the overview yet
  const items = tasks.map((task) => {
    const { openRound = null, models = 0, leaders = [] } = standings.get(task.slug) ?? {};
    return { ...task, openRound, models, leaders };
  });
  return { items };
}

async function changeTask({ api }: Session, slug: string, words: readonly string[]) {
  const changes = await Promise.all(
    words.map(async (word) => (word.includes('=') ? changeOf(word) : fileChange(word))),
  );
  return contentOf(tasksChange({ client: api, path: { slug }, body: joined(changes) }));
}

async function fileChange(file: string): Promise<Record<string, unknown>> {
  const change = await readDefinition(file);
  if (!isObject(change)) throw usageFailure(`${file} has no keys of a task definition.`);
  return change;
}

/**
 * Parses a YAML file. JSON files work as well, because JSON is a subset of YAML.
 *
 * @throws CommandFailure if the file is neither
 */
export async function readDefinition(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof YAMLParseError) throw usageFailure(`${file} is not valid YAML or JSON: ${error.message}`);
    throw error;
  }
}
