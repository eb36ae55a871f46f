import { writeFile } from 'node:fs/promises';
import { exportsModelIndex, exportsResult } from '@assay/api-client/fetch';
import type { Command } from 'commander';
import { type Api, contentOf } from '../connection/api.js';
import { command, connected } from './command.js';

/** Returns the commands that export a model's results. */
export const modelExportCommands = (): readonly Command[] => [
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
