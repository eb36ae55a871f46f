import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { contentOf } from '../connection/api.js';
import { command, sessionOf, type CommonOptions } from './command.js';

interface ExportOptions extends CommonOptions {
  readonly output?: string;
}

/** The results of a model in the forms in which they leave the service. */
export function modelExportCommands(): readonly Command[] {
  return [
    command('result', 'its results as a signed file, which `assay verify` checks')
      .argument('<id>')
      .option('--output <file>', 'where to write it (default: standard output)')
      .action(writeResult),
    command('index', 'its results as the model-index of a Hugging Face model card, in YAML')
      .argument('<id>')
      .option('--output <file>', 'where to write it (default: standard output)')
      .action(writeIndex),
  ];
}

async function writeResult(id: string, options: ExportOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const signed = await contentOf(api.GET('/api/v1/models/{id}/result', { params: { path: { id } } }));
  const text = JSON.stringify(signed, null, 2);
  if (options.output === undefined) return output.result(signed, text);
  await writeFile(options.output, `${text}\n`);
  output.result({ written: options.output, keyId: signed.signature.keyId }, `Wrote ${options.output}.`);
}

async function writeIndex(id: string, options: ExportOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const yaml = await contentOf(
    api.GET('/api/v1/models/{id}/model-index', { params: { path: { id } }, parseAs: 'text' }),
  );
  if (options.output === undefined) return output.result({ yaml }, yaml.trimEnd());
  await writeFile(options.output, yaml);
  output.result({ written: options.output }, `Wrote ${options.output}.`);
}
