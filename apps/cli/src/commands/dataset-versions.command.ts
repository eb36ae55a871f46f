import {
  datasetartefactsOf,
  datasetexportsContent,
  datasetexportsCroissant,
  datasetexportsList,
  datasetsContent,
  datasetshiftOf,
  tasksGet,
} from '@assay/api-client/fetch';
import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.js';
import { contentOf, defined, type Api } from '../connection/api.js';
import { artefactsText } from '../format/artefacts-text.js';
import { datasetTable, versionTable } from '../format/dataset-text.js';
import { shiftText } from '../format/shift-text.js';
import { commandForTask, connected, downloading, printing, type Session } from './command.js';
import { wholeNumber } from './option-values.js';

interface ShiftOptions {
  readonly from?: string;
}

interface VersionOptions {
  readonly version?: number;
}

/**
 * Returns the commands that read datasets: the list, the versions, the examples, the description,
 * the artefacts and the shift.
 */
export const datasetVersionCommands = (): readonly Command[] => [
  commandForTask('list', 'list the datasets of a task, or the versions of one')
    .argument('[name]', 'the name of a dataset')
    .addHelpText('after', '\nExample:\n  assay dataset list nli round-1')
    .action(connected(list)),
  versioned('get', 'download the examples of a dataset, as JSON Lines')
    .addHelpText('after', '\nExample:\n  assay dataset get nli round-1 --version 2 --output round-1.jsonl')
    .action(downloading(get)),
  versioned('croissant', 'download the metadata of a dataset version (Croissant 1.0, JSON-LD)')
    .addHelpText('after', '\nExample:\n  assay dataset croissant nli round-1 --output croissant.json')
    .action(downloading(describe)),
  commandForTask('artefacts', 'show what the examples of a dataset give away about their labels')
    .argument('<name>', 'the name of the dataset')
    .addHelpText('after', '\nExample:\n  assay dataset artefacts nli round-1')
    .action(
      printing(
        ({ api }: Session, slug: string, name: string) =>
          contentOf(datasetartefactsOf({ client: api, path: { slug, name } })),
        artefactsText,
      ),
    ),
  commandForTask('shift', 'show what changed between two datasets, such as those of two rounds')
    .argument('<name>', 'the name of the later dataset')
    .option('--from <name>', 'the earlier dataset (default: that of the last earlier round which you may read)')
    .addHelpText('after', '\nExample:\n  assay dataset shift nli r2-dev --from r1-dev')
    .action(
      printing(
        ({ api }: Session, slug: string, name: string, { from }: ShiftOptions) =>
          contentOf(datasetshiftOf({ client: api, path: { slug, name }, query: defined({ from }) })),
        (shift) => shiftText(shift),
      ),
    ),
];

const versioned = (name: string, description: string): Command =>
  commandForTask(name, description)
    .argument('<name>', 'the name of the dataset')
    .option('--version <number>', 'the version (default: the active one)', (text) =>
      wholeNumber(text.replace(/^v/, '')),
    )
    .option('--output <file>', 'the output file (default: standard output)');

async function list({ api, output }: Session, slug: string, name: string | undefined): Promise<void> {
  if (name === undefined) {
    const { datasets } = await contentOf(tasksGet({ client: api, path: { slug } }));
    const none = `No datasets yet. Add one: assay dataset put ${slug} NAME FILE`;
    output.result({ items: datasets }, datasets.length > 0 ? datasetTable(datasets) : none);
  } else {
    const versions = await versionsOf(api, slug, name);
    output.result(versions, versionTable(versions.items));
  }
}

const versionsOf = (api: Api, slug: string, name: string) =>
  contentOf(datasetexportsList({ client: api, path: { slug, name } }));

// a dataset with visibility `inputs` offers its inputs for the active version only
const get = async ({ api }: Session, slug: string, name: string, { version }: VersionOptions) =>
  version === undefined
    ? datasetsContent({ client: api, path: { slug, name }, parseAs: 'stream' })
    : datasetexportsContent({ client: api, path: { slug, name, version }, parseAs: 'stream' });

async function describe({ api }: Session, slug: string, name: string, options: VersionOptions) {
  const version = options.version ?? (await versionInForce(api, slug, name));
  return datasetexportsCroissant({ client: api, path: { slug, name, version }, parseAs: 'stream' });
}

/**
 * Returns the active version, else the newest: a dataset that is only proposed has no active
 * version.
 */
async function versionInForce(api: Api, slug: string, name: string): Promise<number> {
  const { items } = await versionsOf(api, slug, name);
  const newest = Math.max(...items.map(({ version }) => version));
  if (items.length === 0) throw new CommandFailure('refused', 'not_found', `${name} has no version yet.`);
  return items.find(({ status }) => status === 'active')?.version ?? newest;
}
