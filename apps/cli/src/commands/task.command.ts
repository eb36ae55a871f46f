import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { parse, YAMLParseError } from 'yaml';
import { usageFailure } from '../command-failure.js';
import { contentOf, type Schemas } from '../connection/api.js';
import { taskText } from '../format/task-text.js';
import { command, group, sessionOf, type CommonOptions } from './command.js';

export function taskCommand(): Command {
  return group(
    'task',
    'problems with inputs, an output and metrics',
    command('create', 'make a task of a definition')
      .argument('<file>', 'the definition, YAML or JSON')
      .action(createTask),
    command('show', 'show a task, with its datasets').argument('<task>', 'its slug').action(showTask),
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
