import { writeFile } from 'node:fs/promises';
import {
  exportsModelIndex,
  exportsResult,
  type Model,
  modelsArchive,
  modelsCancel,
  modelsList,
  modelsLogs,
  modelsPatch,
  modelsPublish,
  modelsRerun,
  type ModelSummary,
  modelsWithdraw,
} from '@assay/api-client/fetch';
import type { Command } from 'commander';
import { type Api, contentOf } from '../connection/api.js';
import { modelOf } from '../follow/follow-model.js';
import { modelText, type ModelTextOptions } from '../format/model-text.js';
import { count } from '../format/numbers.js';
import { tableText } from '../format/table.js';
import { command, commandForTask, connected, group, listing, printing } from './command.js';

interface Change {
  readonly name: string;
  readonly description: string;
  readonly operation: (request: {
    readonly client: Api;
    readonly path: { readonly id: string };
  }) => Promise<{ readonly data: Model }>;
}

/** The commands that change a model. */
const CHANGES: readonly Change[] = [
  { name: 'rerun', description: 'repeat evaluations that failed or were cancelled', operation: modelsRerun },
  { name: 'cancel', description: 'cancel evaluations that are queued or running', operation: modelsCancel },
  { name: 'publish', description: 'publish a model on the board once it is complete', operation: modelsPublish },
  { name: 'withdraw', description: 'remove a model from the board; its scores stay', operation: modelsWithdraw },
  {
    name: 'archive',
    description: 'delete the artifact of a model; its scores stay, and the same file can be uploaded again',
    operation: modelsArchive,
  },
];

export const modelCommand = (): Command =>
  group(
    'model',
    'submitted models',
    command('show', 'show a model, with its scores by dataset and slice, and its costs')
      .argument('<id>')
      .option('--calibration', 'show the calibration of its probabilities')
      .addHelpText('after', example('model show ID --calibration'))
      .action(
        printing(
          ({ api }, id: string, _options: ModelTextOptions) => modelOf(api, id),
          (model, _session, _id, options) => modelText(model, options),
        ),
      ),
    commandForTask('list', 'list the models of a task that you may see')
      .addHelpText('after', example('model list nli'))
      .action(listing(modelsList, modelTable, (slug) => `${slug} has no models yet.`)),
    command('logs', 'show the end of the log of your model')
      .argument('<id>')
      .addHelpText('after', example('model logs ID'))
      .action(
        printing(
          ({ api }, id: string) => contentOf(modelsLogs({ client: api, path: { id } })),
          (log) => logText(log),
        ),
      ),
    ...modelExportCommands(),
    command(
      'derived-from',
      'declare the models of the same task that your model descends from; none: it has no such models',
    )
      .argument('<id>')
      .argument('[ancestors...]', 'the ids of these models')
      .addHelpText('after', example('model derived-from ID ANCESTOR'))
      .action(
        printing(
          ({ api }, id: string, ancestors: readonly string[]) =>
            contentOf(modelsPatch({ client: api, path: { id }, body: { derivedFrom: [...ancestors] } })),
          (model) => modelText(model),
        ),
      ),
    ...CHANGES.map(({ name, description, operation }) => {
      const own = command(name, description)
        .argument('<id>')
        .addHelpText('after', example(`model ${name} ID`));
      if (name === 'rerun') own.option('--measures', 'measure the costs of a scored model again; its scores stay');
      return own.action(
        printing(
          ({ api }, id: string, { measures }: { readonly measures?: true }) => {
            const request = { client: api, path: { id } };
            return contentOf(measures ? modelsRerun({ ...request, query: { measures: 'true' } }) : operation(request));
          },
          (model) => modelText(model),
        ),
      );
    }),
  );

const example = (words: string): string => `\nExample:\n  assay ${words}`;

const modelTable = (models: readonly ModelSummary[]): string =>
  tableText(
    ['model', 'owner', 'kind', 'state', 'submitted', 'id'],
    models.map(({ name, owner, kind, state, createdAt, id }) => [
      name,
      owner,
      kind,
      state,
      createdAt.slice(0, 16).replace('T', ' '),
      id,
    ]),
  );

function logText({ log, withheldBytes }: { readonly log: string; readonly withheldBytes?: number }): string {
  if (withheldBytes === undefined)
    return log === '' ? 'The log is empty, or the model has not run yet.' : log.trimEnd();
  const withheld = `[${count(withheldBytes)} bytes are withheld: the sandbox that wrote them had seen hidden data.]`;
  return `${log.trimEnd()}\n${withheld}`.trimStart();
}

/** Returns the commands that export a model's results. */
const modelExportCommands = (): readonly Command[] => [
  exporting('result', 'download the results as a signed file, which `assay verify` checks', async (client, id) => {
    const value = await contentOf(exportsResult({ client, path: { id } }));
    return { value, text: JSON.stringify(value, null, 2) };
  }).addHelpText('after', '\nExample:\n  assay model result ID --output result.json'),
  exporting(
    'index',
    'download the results as the model-index of a Hugging Face model card, in YAML',
    async (client, id) => {
      const yaml = await contentOf(exportsModelIndex({ client, path: { id }, parseAs: 'text' }));
      return { value: { yaml }, text: yaml.trimEnd() };
    },
  ).addHelpText('after', '\nExample:\n  assay model index ID --output model-index.yaml'),
];

const exporting = (
  name: string,
  description: string,
  ask: (client: Api, id: string) => Promise<{ readonly value: unknown; readonly text: string }>,
): Command =>
  command(name, description)
    .argument('<id>')
    .option('--output <file>', 'the output file (default: standard output)')
    .action(
      connected(async ({ api, output }, id: string, { output: file }: { readonly output?: string }) => {
        const { value, text } = await ask(api, id);
        if (file !== undefined) await writeFile(file, `${text}\n`);
        output.result(file === undefined ? value : { written: file }, file === undefined ? text : `Wrote ${file}.`);
      }),
    );
