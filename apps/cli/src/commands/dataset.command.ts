import { openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { extname } from 'node:path';
import { Option, type Command } from 'commander';
import { usageFailure } from '../command-failure.js';
import { contentOf } from '../connection/api.js';
import { queryText } from '../connection/query-text.js';
import { count } from '../format/numbers.js';
import { command, group, sessionOf, type CommonOptions } from './command.js';

interface PutOptions extends CommonOptions {
  readonly role?: string;
  readonly round?: string;
  readonly use?: string;
  readonly visibility?: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.jsonl': 'application/x-ndjson',
  '.ndjson': 'application/x-ndjson',
  '.csv': 'text/csv',
  '.json': 'application/json',
};

export function datasetCommand(): Command {
  return group(
    'dataset',
    'the examples of a task',
    command('put', 'add a dataset, or a new version of one')
      .argument('<task>', 'the slug of the task')
      .argument('<name>', 'small letters, digits and hyphens')
      .argument('<file>', 'JSON Lines (.jsonl), CSV with a header (.csv) or SQuAD (.json)')
      .addOption(new Option('--role <role>', 'a round of collection, or a static set').choices(['round', 'static']))
      .option('--round <number>', 'which round; makes the role a round')
      .addOption(new Option('--use <use>', 'whether it ranks').choices(['scoring', 'reporting']))
      .addOption(new Option('--visibility <who>', 'who may read it').choices(['hidden', 'inputs', 'public']))
      .action(putDataset),
  );
}

async function putDataset(task: string, name: string, file: string, options: PutOptions): Promise<void> {
  const type = TYPES[extname(file).toLowerCase()];
  if (type === undefined) throw usageFailure(`${file} ends in none of ${Object.keys(TYPES).join(', ')}.`);
  await access(file, constants.R_OK);

  const { round, role = round === undefined ? undefined : 'round', use, visibility } = options;
  const { api, output } = await sessionOf(options);
  const put = await contentOf(
    api.PUT('/api/v1/tasks/{slug}/datasets/{name}', {
      params: { path: { slug: task, name } },
      querySerializer: () => queryText({ role, round, use, visibility }),
      headers: { 'content-type': type },
      // read from the disk as it is sent
      body: (await openAsBlob(file)) as unknown as string,
      bodySerializer: (body) => body as unknown as Blob,
    }),
  );
  const next = put.status === 'proposed' ? ' It is proposed: it counts once its benchmark version is activated.' : '';
  output.result(put, `${put.name} v${put.version}: ${count(put.examples)} examples, ${put.status}.${next}`);
}
