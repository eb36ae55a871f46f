import {
  perturbationsContent,
  perturbationsList,
  perturbationsPut,
  perturbationsSample,
  perturbationsValidate,
} from '@assay/api-client/fetch';
import { PERTURBATIONS, type Perturbation } from '@assay/contracts/metrics';
import { Argument, type Command } from 'commander';
import { contentOf } from '../connection/api.js';
import { download } from '../connection/download.js';
import { fileBody } from '../connection/file-body.js';
import { perturbationsText } from '../format/perturbation-text.js';
import { command, group, sessionOf, type CommonOptions } from './command.js';

type DownloadOptions = CommonOptions & { readonly output?: string };

export function perturbationCommand(): Command {
  return group(
    'perturbation',
    'perturbed versions of datasets, for fairness and robustness',
    ofDataset('list', 'list the perturbed versions of a dataset, with their transforms and validations')
      .addHelpText('after', '\nExample:\n  assay perturbation list nli round-1')
      .action(list),
    toFile('get', 'download the perturbed examples, as JSON Lines')
      .addHelpText('after', '\nExample:\n  assay perturbation get nli round-1 robustness --output robustness.jsonl')
      .action(get),
    fromFile('put', 'upload your own pairs', 'JSON Lines as for a dataset, each with input_id, the ID of its original')
      .addHelpText('after', '\nExample:\n  assay perturbation put nli round-1 fairness pairs.jsonl')
      .action(put),
    toFile('sample', 'download a hundred variants of each transform with their originals, for people to validate')
      .addHelpText('after', '\nExample:\n  assay perturbation sample nli round-1 robustness --output sample.jsonl')
      .action(sample),
    fromFile(
      'validate',
      'upload whether variants keep their label',
      'JSON Lines, each {"id": …, "kept": true or false}',
    )
      .addHelpText(
        'after',
        '\nExample:\n  assay perturbation validate nli round-1 robustness judged.jsonl\n\n' +
          'A transform is shown but does not count for the ranking if fewer than 95 percent of at least 30 variants kept their label.',
      )
      .action(validate),
  );
}

const ofDataset = (name: string, description: string): Command =>
  command(name, description).argument('<task>', 'the slug of the task').argument('<dataset>', 'name of the dataset');

const ofKind = (name: string, description: string): Command =>
  ofDataset(name, description).addArgument(new Argument('<kind>', 'the kind of perturbation').choices(PERTURBATIONS));

const toFile = (name: string, description: string): Command =>
  ofKind(name, description).option('--output <file>', 'the output file (default: standard output)');

const fromFile = (name: string, description: string, content: string): Command =>
  ofKind(name, description).argument('<file>', content);

async function list(slug: string, name: string, options: CommonOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const versions = await contentOf(perturbationsList({ client: api, path: { slug, name } }));
  const none = `${name} has no perturbed version. The owner of the task can list transforms under perturbations in its definition, or upload pairs.`;
  output.result(versions, versions.items.length > 0 ? perturbationsText(versions.items) : none);
}

async function get(slug: string, name: string, kind: Perturbation, options: DownloadOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const path = { slug, name, kind };
  await download(output, perturbationsContent({ client: api, path, parseAs: 'stream' }), options.output);
}

async function sample(slug: string, name: string, kind: Perturbation, options: DownloadOptions): Promise<void> {
  const { api, output } = await sessionOf(options);
  const path = { slug, name, kind };
  await download(output, perturbationsSample({ client: api, path, parseAs: 'stream' }), options.output);
}

async function put(
  slug: string,
  name: string,
  kind: Perturbation,
  file: string,
  options: CommonOptions,
): Promise<void> {
  const body = await fileBody(file);
  const { api, output } = await sessionOf(options);
  const version = await contentOf(perturbationsPut({ client: api, path: { slug, name, kind }, body }));
  output.result(version, perturbationsText([version]));
}

async function validate(
  slug: string,
  name: string,
  kind: Perturbation,
  file: string,
  options: CommonOptions,
): Promise<void> {
  const body = await fileBody(file);
  const { api, output } = await sessionOf(options);
  const version = await contentOf(perturbationsValidate({ client: api, path: { slug, name, kind }, body }));
  output.result(version, perturbationsText([version]));
}
