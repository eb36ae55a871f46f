import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { parse, YAMLParseError } from 'yaml';
import { usageFailure } from '../command-failure.js';
import { contentOf, type Schemas } from '../connection/api.js';
import { count } from '../format/numbers.js';
import { taskText } from '../format/task-text.js';
import { command, group, sessionOf, type CommonOptions } from './command.js';
import { changeOf, isObject, joined } from './task-changes.js';

export function taskCommand(): Command {
  return group(
    'task',
    'problems with inputs, an output and metrics',
    command('create', 'make a task of a definition')
      .argument('<file>', 'the definition, YAML or JSON')
      .addHelpText('after', '\nExample:\n  assay task create nli.yaml')
      .action(createTask),
    command('show', 'show a task, with its datasets')
      .argument('<task>', 'its slug')
      .addHelpText('after', '\nExample:\n  assay task show nli')
      .action(showTask),
    command('change', 'change a task, and say how many evaluations are scored again')
      .argument('<task>', 'its slug')
      .argument('<changes...>', 'key=value, or a file (YAML or JSON) with the keys that change; null takes one away')
      .addHelpText(
        'after',
        '\nExample:\n  assay task change nli loop.size=2 slices=[genre] weights.memory=0\n\n' +
          'No model runs for it: scores are computed again from the stored predictions.',
      )
      .action(changeTask),
  );
}

async function createTask(file: string, options: CommonOptions): Promise<void> {
  const definition = await readDefinition(file);
  const { api, output } = await sessionOf(options);
  // the server says what is wrong with it, with the paths
  const body = definition as Schemas['TaskDefinition'];
  const task = await contentOf(api.POST('/api/v1/tasks', { body }));
  output.result(task, `Made the task ${task.slug}.\n\n${taskText(task)}`);
}

async function showTask(slug: string, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const task = await contentOf(api.GET('/api/v1/tasks/{slug}', { params: { path: { slug } } }));
  output.result(task, taskText(task));
}

async function changeTask(slug: string, words: readonly string[], options: CommonOptions): Promise<void> {
  const changes = await Promise.all(
    words.map(async (word) => (word.includes('=') ? changeOf(word) : fileChange(word))),
  );
  const { api, output } = await sessionOf(options);
  const body = joined(changes);
  const task = await contentOf(api.PATCH('/api/v1/tasks/{slug}', { params: { path: { slug } }, body }));
  const { rescored = 0 } = task;
  const again =
    rescored === 0
      ? 'No score changes.'
      : `${count(rescored)} ${rescored === 1 ? 'evaluation is' : 'evaluations are'} scored again from stored predictions; no model runs.`;
  output.result(task, `Changed the task ${task.slug}. ${again}\n\n${taskText(task)}`);
}

async function fileChange(file: string): Promise<Record<string, unknown>> {
  const change = await readDefinition(file);
  if (!isObject(change)) throw usageFailure(`${file} has no keys of a task.`);
  return change;
}

/** A file of YAML, which JSON is too. */
export async function readDefinition(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof YAMLParseError) throw usageFailure(`${file} is neither YAML nor JSON: ${error.message}`);
    throw error;
  }
}
