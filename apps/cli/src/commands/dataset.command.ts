import { extname } from 'node:path';
import { datasetsChange, datasetsPut, type DatasetsPutData, type PatchDataset } from '@assay/api-client/fetch';
import { Visibility } from '@assay/contracts/datasets';
import { Option, type Command } from 'commander';
import { usageFailure } from '../command-failure.js';
import { contentOf, operationQuery } from '../connection/api.js';
import { fileBody } from '../connection/files.js';
import { datasetFacts } from '../format/dataset-text.js';
import { count } from '../format/numbers.js';
import { warningsText } from '../format/task-text.js';
import { commandForTask, group, printing, type Session } from './command.js';
import { sampleCommand } from './dataset-sample.command.js';
import { datasetVersionCommands } from './dataset-versions.command.js';
import { instantOf, names, nameValues } from './option-values.js';

interface PutOptions {
  readonly role?: string;
  readonly round?: string;
  readonly use?: string;
  readonly visibility?: string;
}

interface ChangeOptions {
  readonly visibility?: Visibility;
  readonly against?: string;
  readonly publicSince?: string;
  readonly inputsUntil?: string;
  readonly human?: string;
  readonly humanSource?: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.jsonl': 'application/x-ndjson',
  '.ndjson': 'application/x-ndjson',
  '.csv': 'text/csv',
  '.json': 'application/json',
};

const visibilityOption = (): Option => new Option('--visibility <who>', 'who can read it').choices(Visibility.options);

export const datasetCommand = (): Command =>
  group(
    'dataset',
    'the examples of a task',
    commandForTask('put', 'add a dataset, or a new version of one')
      .argument('<name>', 'the name of the dataset (lower-case letters, digits and hyphens)')
      .argument('<file>', 'JSON Lines (.jsonl), CSV with a header (.csv) or SQuAD (.json)')
      .addOption(new Option('--role <role>', 'a collection round, or a static dataset').choices(['round', 'static']))
      .option('--round <number>', 'the number of the round; sets the role to round')
      .addOption(new Option('--use <use>', 'whether it counts for the ranking').choices(['scoring', 'reporting']))
      .addOption(visibilityOption())
      .addHelpText('after', '\nExample:\n  assay dataset put nli round-1 round-1.jsonl --round 1 --visibility hidden')
      .action(
        printing(putDataset, (put, { output }, task) => {
          for (const warning of [...warningsText(put.warnings), ...put.duplicates.sentences]) output.tell(warning);
          const next =
            put.status === 'proposed'
              ? ` It is proposed: it counts once its benchmark version is activated (assay benchmark preview ${task}).`
              : '';
          return `${put.name} v${put.version}: ${count(put.examples)} examples, ${put.status}.${next}`;
        }),
      ),
    commandForTask('change', 'change the properties of a dataset, such as its visibility')
      .argument('<name>', 'the name of the dataset')
      .addOption(visibilityOption())
      .option('--against <ids>', 'IDs of the models that its examples were collected against, or none')
      .option('--public-since <time>', 'when any of it first became public, such as 2019-10-31, or never')
      .option('--inputs-until <time>', 'until when the listed submitters may read its hidden inputs, or never')
      .option('--human <metric:value,…>', 'published human performance, such as squad_f1:0.868, or none')
      .option('--human-source <text>', 'where it is published; required with --human')
      .addHelpText(
        'after',
        '\nExample:\n  assay dataset change nli round-1 --visibility public --public-since 2019-10-31' +
          '\n  assay dataset change nli round-4 --inputs-until 2027-01-31' +
          '\n  assay dataset change qa squad --human exact_match:0.770,squad_f1:0.868 --human-source "Rajpurkar et al. 2016"',
      )
      .action(printing(changeDataset, datasetFacts)),
    sampleCommand(),
    ...datasetVersionCommands(),
  );

async function putDataset({ api }: Session, task: string, name: string, file: string, options: PutOptions) {
  const type = TYPES[extname(file).toLowerCase()];
  if (type === undefined) throw usageFailure(`${file} has an unknown extension. Use ${Object.keys(TYPES).join(', ')}.`);
  const body = await fileBody(file);

  const { round, role = round === undefined ? undefined : 'round', use, visibility } = options;
  return contentOf(
    datasetsPut({
      client: api,
      path: { slug: task, name },
      query: operationQuery<DatasetsPutData>({ role, round, use, visibility }),
      headers: { 'content-type': type },
      body,
    }),
  );
}

async function changeDataset(
  { api }: Session,
  slug: string,
  name: string,
  { visibility, against, publicSince, inputsUntil, human, humanSource }: ChangeOptions,
) {
  const body: PatchDataset = {
    ...(visibility !== undefined && { visibility }),
    ...(against !== undefined && { against: against === 'none' ? [] : names(against) }),
    ...(publicSince !== undefined && { publicSince: timeOf(publicSince) }),
    ...(inputsUntil !== undefined && { inputsUntil: timeOf(inputsUntil) }),
    ...(human !== undefined && { human: humanOf(human, humanSource) }),
  };
  if (Object.keys(body).length === 0) {
    throw usageFailure('Nothing to change. Give --visibility, --against, --public-since, --inputs-until or --human.');
  }
  return contentOf(datasetsChange({ client: api, path: { slug, name }, body }));
}

function humanOf(text: string, source: string | undefined): NonNullable<PatchDataset['human']> | null {
  if (text === 'none') return null;
  if (source === undefined) throw usageFailure('Give the publication of these figures: --human-source <text>.');
  const metrics = Object.fromEntries(Object.entries(nameValues(text)).map(([name, value]) => [name, { value }]));
  return { source, metrics };
}

const timeOf = (text: string): string | null =>
  text === 'never' ? null : instantOf(text, 'Give a date such as 2019-10-31, or never.');
