import {
  perturbationsContent,
  perturbationsList,
  perturbationsPut,
  perturbationsSample,
  perturbationsValidate,
  type PerturbedVersion,
} from '@assay/api-client/fetch';
import { PERTURBATIONS, type Perturbation } from '@assay/contracts/metrics';
import { Argument, type Command } from 'commander';
import { type Api, contentOf } from '../connection/api.js';
import { fileBody } from '../connection/files.js';
import { perturbationsText } from '../format/dataset-text.js';
import { commandForTask, downloading, group, printing } from './command.js';

export const perturbationCommand = (): Command =>
  group(
    'perturbation',
    'perturbed versions of datasets, for fairness and robustness',
    ofDataset('list', 'list the perturbed versions of a dataset, with their transforms and validations')
      .addHelpText('after', '\nExample:\n  assay perturbation list nli round-1')
      .action(
        printing(
          ({ api }, slug: string, name: string) => contentOf(perturbationsList({ client: api, path: { slug, name } })),
          ({ items }, _session, _slug, name) =>
            items.length > 0
              ? perturbationsText(items)
              : `${name} has no perturbed version. The owner of the task can list transforms under perturbations in its definition, or upload pairs.`,
        ),
      ),
    toFile('get', 'download the perturbed examples, as JSON Lines', (client, path) =>
      perturbationsContent({ client, path, parseAs: 'stream' }),
    ).addHelpText('after', '\nExample:\n  assay perturbation get nli round-1 robustness --output robustness.jsonl'),
    fromFile(
      'put',
      'upload your own pairs',
      'JSON Lines as for a dataset, each with input_id, the ID of its original',
      perturbationsPut,
    ).addHelpText('after', '\nExample:\n  assay perturbation put nli round-1 fairness pairs.jsonl'),
    toFile(
      'sample',
      'download a hundred variants of each transform with their originals, for people to validate',
      (client, path) => perturbationsSample({ client, path, parseAs: 'stream' }),
    ).addHelpText('after', '\nExample:\n  assay perturbation sample nli round-1 robustness --output sample.jsonl'),
    fromFile(
      'validate',
      'upload whether variants keep their label',
      'JSON Lines, each {"id": …, "kept": true or false}',
      perturbationsValidate,
    ).addHelpText(
      'after',
      '\nExample:\n  assay perturbation validate nli round-1 robustness judged.jsonl\n\n' +
        'A transform is shown but does not count for the ranking if fewer than 95 percent of at least 30 variants kept their label.',
    ),
  );

interface KindPath {
  readonly slug: string;
  readonly name: string;
  readonly kind: Perturbation;
}

const ofDataset = (name: string, description: string): Command =>
  commandForTask(name, description).argument('<dataset>', 'name of the dataset');

const ofKind = (name: string, description: string): Command =>
  ofDataset(name, description).addArgument(new Argument('<kind>', 'the kind of perturbation').choices(PERTURBATIONS));

const toFile = (
  name: string,
  description: string,
  ask: (client: Api, path: KindPath) => Promise<{ readonly data: unknown }>,
): Command =>
  ofKind(name, description)
    .option('--output <file>', 'the output file (default: standard output)')
    .action(
      downloading(({ api }, slug: string, dataset: string, kind: Perturbation) =>
        ask(api, { slug, name: dataset, kind }),
      ),
    );

const fromFile = (
  name: string,
  description: string,
  content: string,
  send: (request: {
    readonly client: Api;
    readonly path: KindPath;
    readonly body: Blob;
  }) => Promise<{ readonly data: PerturbedVersion }>,
): Command =>
  ofKind(name, description)
    .argument('<file>', content)
    .action(
      printing(
        async ({ api }, slug: string, dataset: string, kind: Perturbation, file: string) =>
          contentOf(send({ client: api, path: { slug, name: dataset, kind }, body: await fileBody(file) })),
        (version) => perturbationsText([version]),
      ),
    );
