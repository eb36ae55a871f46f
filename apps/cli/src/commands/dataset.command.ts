import { extname } from 'node:path';
import { datasetsChange, datasetsPut, type DatasetsPutData, type PatchDataset } from '@assay/api-client/fetch';
import { Visibility } from '@assay/contracts/datasets';
import { Option, type Command } from 'commander';
import { usageFailure } from '../command-failure.js';
import { contentOf } from '../connection/api.js';
import { fileBody } from '../connection/file-body.js';
import { names } from '../connection/name-values.js';
import { operationQuery } from '../connection/operation-query.js';
import { datasetFacts } from '../format/dataset-text.js';
import { count } from '../format/numbers.js';
import { command, group, sessionOf, type CommonOptions } from './command.js';
import { datasetVersionCommands } from './dataset-versions.command.js';

interface PutOptions extends CommonOptions {
  readonly role?: string;
  readonly round?: string;
  readonly use?: string;
  readonly visibility?: string;
}

interface ChangeOptions extends CommonOptions {
  readonly visibility?: Visibility;
  readonly against?: string;
  readonly publicSince?: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.jsonl': 'application/x-ndjson',
  '.ndjson': 'application/x-ndjson',
  '.csv': 'text/csv',
  '.json': 'application/json',
};

const visibilityOption = (): Option => new Option('--visibility <who>', 'who can read it').choices(Visibility.options);

export function datasetCommand(): Command {
  return group(
    'dataset',
    'the examples of a task',
    command('put', 'add a dataset, or a new version of one')
      .argument('<task>', 'the slug of the task')
      .argument('<name>', 'the name of the dataset (lower-case letters, digits and hyphens)')
      .argument('<file>', 'JSON Lines (.jsonl), CSV with a header (.csv) or SQuAD (.json)')
      .addOption(new Option('--role <role>', 'a collection round, or a static dataset').choices(['round', 'static']))
      .option('--round <number>', 'the number of the round; sets the role to round')
      .addOption(new Option('--use <use>', 'whether it counts for the ranking').choices(['scoring', 'reporting']))
      .addOption(visibilityOption())
      .addHelpText('after', '\nExample:\n  assay dataset put nli round-1 round-1.jsonl --round 1 --visibility hidden')
      .action(putDataset),
    command('change', 'change the properties of a dataset, such as its visibility')
      .argument('<task>', 'the slug of the task')
      .argument('<name>', 'the name of the dataset')
      .addOption(visibilityOption())
      .option('--against <ids>', 'IDs of the models that its examples were collected against, or none')
      .option('--public-since <time>', 'when any of it first became public, such as 2019-10-31, or never')
      .addHelpText(
        'after',
        '\nExample:\n  assay dataset change nli round-1 --visibility public --public-since 2019-10-31',
      )
      .action(changeDataset),
    ...datasetVersionCommands(),
  );
}

async function putDataset(task: string, name: string, file: string, options: PutOptions): Promise<void> {
  const type = TYPES[extname(file).toLowerCase()];
  if (type === undefined) throw usageFailure(`${file} has an unknown extension. Use ${Object.keys(TYPES).join(', ')}.`);
  const body = await fileBody(file);

  const { round, role = round === undefined ? undefined : 'round', use, visibility } = options;
  const { api, output } = await sessionOf(options);
  const put = await contentOf(
    datasetsPut({
      client: api,
      path: { slug: task, name },
      query: operationQuery<DatasetsPutData>({ role, round, use, visibility }),
      headers: { 'content-type': type },
      body,
    }),
  );
  const next =
    put.status === 'proposed'
      ? ` It is proposed: it counts once its benchmark version is activated (assay benchmark preview ${task}).`
      : '';
  output.result(put, `${put.name} v${put.version}: ${count(put.examples)} examples, ${put.status}.${next}`);
}

async function changeDataset(slug: string, name: string, options: ChangeOptions): Promise<void> {
  const { visibility, against, publicSince } = options;
  const body: PatchDataset = {
    ...(visibility !== undefined && { visibility }),
    ...(against !== undefined && { against: against === 'none' ? [] : names(against) }),
    ...(publicSince !== undefined && { publicSince: timeOf(publicSince) }),
  };
  if (Object.keys(body).length === 0) {
    throw usageFailure('Nothing to change. Give --visibility, --against or --public-since.');
  }
  const { api, output } = await sessionOf(options);
  const changed = await contentOf(datasetsChange({ client: api, path: { slug, name }, body }));
  output.result(changed, datasetFacts(changed));
}

/**
 * Returns a time in ISO 8601, or null for "never". A date without a time means its first instant,
 * in UTC.
 *
 * @throws CommandFailure if the text is not a time
 */
function timeOf(text: string): string | null {
  if (text === 'never') return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw usageFailure(`"${text}" is not a valid time. Give a date such as 2019-10-31, or never.`);
  return time.toISOString();
}
