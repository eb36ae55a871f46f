import { writeFile } from 'node:fs/promises';
import { exportsModelIndex, exportsResult } from '@assay/api-client/fetch';
import type { Command } from 'commander';
import { contentOf } from '../connection/api.js';
import type { Output } from '../output.js';
import { command, sessionOf, type CommonOptions } from './command.js';

interface ExportOptions extends CommonOptions {
  readonly output?: string;
}

/** Returns the commands that export a model's results. */
export function modelExportCommands(): readonly Command[] {
  return [
    command('result', 'download the results as a signed file, which `assay verify` checks')
      .argument('<id>')
      .option('--output <file>', 'the output file (default: standard output)')
      .addHelpText('after', '\nExample:\n  assay model result ID --output result.json')
      .action(writeResult),
    command('index', 'download the results as the model-index of a Hugging Face model card, in YAML')
      .argument('<id>')
      .option('--output <file>', 'the output file (default: standard output)')
      .addHelpText('after', '\nExample:\n  assay model index ID --output model-index.yaml')
      .action(writeIndex),
  ];
}

async function writeResult(id: string, options: ExportOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const signed = await contentOf(exportsResult({ client: api, path: { id } }));
  await write(output, options.output, { value: signed, text: JSON.stringify(signed, null, 2) });
}

async function writeIndex(id: string, options: ExportOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const yaml = await contentOf(exportsModelIndex({ client: api, path: { id }, parseAs: 'text' }));
  await write(output, options.output, { value: { yaml }, text: yaml.trimEnd() });
}

async function write(
  output: Output,
  file: string | undefined,
  { value, text }: { readonly value: unknown; readonly text: string },
): Promise<void> {
  if (file !== undefined) await writeFile(file, `${text}\n`);
  output.result(file === undefined ? value : { written: file }, file === undefined ? text : `Wrote ${file}.`);
}
