import {
  datasetexportsContent,
  datasetexportsCroissant,
  datasetexportsList,
  datasetsContent,
  tasksGet,
} from '@assay/api-client/fetch';
import { InvalidArgumentError, type Command } from 'commander';
import { CommandFailure } from '../command-failure.js';
import { contentOf, type Api } from '../connection/api.js';
import { download } from '../connection/download.js';
import { EXIT_CODES } from '../exit-codes.js';
import { datasetTable, versionTable } from '../format/dataset-text.js';
import { command, sessionOf, type CommonOptions } from './command.js';

interface VersionOptions extends CommonOptions {
  readonly version?: number;
  readonly output?: string;
}

/**
 * Returns the commands that read datasets: the list, the versions, the examples and the
 * description.
 */
export function datasetVersionCommands(): readonly Command[] {
  return [
    command('list', 'list the datasets of a task, or the versions of one')
      .argument('<task>', 'the slug of the task')
      .argument('[name]', 'the name of a dataset')
      .addHelpText('after', '\nExample:\n  assay dataset list nli round-1')
      .action(list),
    versioned('get', 'download the examples of a dataset, as JSON Lines')
      .addHelpText('after', '\nExample:\n  assay dataset get nli round-1 --version 2 --output round-1.jsonl')
      .action(get),
    versioned('croissant', 'download the metadata of a dataset version (Croissant 1.0, JSON-LD)')
      .addHelpText('after', '\nExample:\n  assay dataset croissant nli round-1 --output croissant.json')
      .action(describe),
  ];
}

const versioned = (name: string, description: string): Command =>
  command(name, description)
    .argument('<task>', 'the slug of the task')
    .argument('<name>', 'the name of the dataset')
    .option('--version <number>', 'the version (default: the active one)', versionNumber)
    .option('--output <file>', 'the output file (default: standard output)');

function versionNumber(text: string): number {
  if (/^v?[1-9]\d{0,8}$/.test(text)) return Number(text.replace('v', ''));
  throw new InvalidArgumentError('Expected a whole number, 1 or more.');
}

async function list(slug: string, name: string | undefined, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  if (name === undefined) {
    const { datasets } = await contentOf(tasksGet({ client: api, path: { slug } }));
    const none = `No datasets yet. Add one: assay dataset put ${slug} NAME FILE`;
    output.result({ items: datasets }, datasets.length > 0 ? datasetTable(datasets) : none);
    return;
  }
  const versions = await versionsOf(api, slug, name);
  output.result(versions, versionTable(versions.items));
}

const versionsOf = (api: Api, slug: string, name: string) =>
  contentOf(datasetexportsList({ client: api, path: { slug, name } }));

async function get(slug: string, name: string, options: VersionOptions): Promise<void> {
  const { version, output: file } = options;
  const { api, output } = await sessionOf(options);
  // a dataset with visibility `inputs` offers its inputs for the active version only
  const answer =
    version === undefined
      ? datasetsContent({ client: api, path: { slug, name }, parseAs: 'stream' })
      : datasetexportsContent({ client: api, path: { slug, name, version }, parseAs: 'stream' });
  await download(output, answer, file);
}

async function describe(slug: string, name: string, options: VersionOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const version = options.version ?? (await versionInForce(api, slug, name));
  const answer = datasetexportsCroissant({ client: api, path: { slug, name, version }, parseAs: 'stream' });
  await download(output, answer, options.output);
}

/**
 * Returns the active version, else the newest: a dataset that is only proposed has no active
 * version.
 */
async function versionInForce(api: Api, slug: string, name: string): Promise<number> {
  const { items } = await versionsOf(api, slug, name);
  const newest = Math.max(...items.map(({ version }) => version));
  if (items.length === 0) throw new CommandFailure(EXIT_CODES.refused, 'not_found', `${name} has no version yet.`);
  return items.find(({ status }) => status === 'active')?.version ?? newest;
}
