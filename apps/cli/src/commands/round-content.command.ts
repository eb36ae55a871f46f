import {
  annotationexportsRound,
  annotationexportsTask,
  type AnnotationexportsTaskData,
  type LinesPut,
  rounddataPutExamples,
  type RounddataPutExamplesData,
  roundsPutContexts,
} from '@assay/api-client/fetch';
import { ANNOTATION_OUTCOMES } from '@assay/contracts/collection';
import { Option, type Command } from 'commander';
import { contentOf, operationQuery } from '../connection/api.js';
import { fileBody } from '../connection/files.js';
import { count } from '../format/numbers.js';
import { commandForTask, downloading, group, printing, type Session } from './command.js';
import { wholeNumber } from './option-values.js';

interface ExamplesOptions {
  readonly check?: true;
}

interface ExportOptions {
  readonly round?: number;
  readonly outcome?: (typeof ANNOTATION_OUTCOMES)[number];
  readonly source?: 'written' | 'attested';
}

export const contextsCommand = (): Command =>
  group(
    'contexts',
    'contexts that annotators write examples for',
    commandForTask('put', 'add contexts to an open round; contexts that it already has are skipped')
      .argument('<round>', 'the number of the round', wholeNumber)
      .argument('<file>', 'JSON Lines: the inputs that people do not write, and optionally id, prompt, tags')
      .addHelpText('after', '\nExample:\n  assay contexts put nli 2 passages.jsonl')
      .action(
        printing(
          async ({ api }, slug: string, number: number, file: string) =>
            contentOf(
              roundsPutContexts({
                client: api,
                path: { slug, number: String(number) },
                body: await fileBody(file),
              }),
            ),
          (put, _session, slug, number) => linesText(`Round ${number} of ${slug}`, 'context', put),
        ),
      ),
  );

export const examplesCommand = (): Command =>
  group(
    'examples',
    'examples that were collected elsewhere',
    commandForTask(
      'put',
      'import examples into an open round; they are marked as imported, and validated like the others',
    )
      .argument('<round>', 'the number of the round', wholeNumber)
      .argument('<file>', 'JSON Lines: inputs and output; optionally id, contextId, annotator, fooled, explanations')
      .option(
        '--check',
        'import them as gold checks, which measure validators and do not count as examples of the round',
      )
      .addHelpText('after', '\nExample:\n  assay examples put nli 2 known.jsonl --check')
      .action(
        printing(putExamples, (put, _session, slug, number, _file, { check }) =>
          linesText(`Round ${number} of ${slug}`, check ? 'check' : 'imported example', put),
        ),
      ),
  );

export const exportCommand = (): Command =>
  commandForTask('export', 'download examples with their answers, validations and explanations, as JSON Lines')
    .option('--round <number>', 'only examples of this round', wholeNumber)
    .addOption(new Option('--outcome <outcome>', 'only examples with this outcome').choices(ANNOTATION_OUTCOMES))
    .addOption(
      new Option('--source <source>', 'only examples written in Assay, or only imported ones (attested)').choices([
        'written',
        'attested',
      ]),
    )
    .option('-o, --output <file>', 'the output file (default: standard output)')
    .addHelpText('after', '\nExample:\n  assay export nli --round 1 -o round-1.jsonl')
    .action(downloading(exportAnnotations));

const putExamples = async ({ api }: Session, slug: string, number: number, file: string, { check }: ExamplesOptions) =>
  contentOf(
    rounddataPutExamples({
      client: api,
      path: { slug, number: String(number) },
      query: operationQuery<RounddataPutExamplesData>({ check: check && 'true' }),
      body: await fileBody(file),
    }),
  );

async function exportAnnotations({ api }: Session, slug: string, { round, outcome, source }: ExportOptions) {
  const query = operationQuery<AnnotationexportsTaskData>({ outcome, source });
  const request = { client: api, query, parseAs: 'stream' } as const;
  return round === undefined
    ? annotationexportsTask({ ...request, path: { slug } })
    : annotationexportsRound({ ...request, path: { slug, number: String(round) } });
}

const linesText = (round: string, thing: string, { added, present, total }: LinesPut): string => {
  const known = present === 0 ? '' : ` ${count(present)} already existed.`;
  return `${round}: ${count(added)} ${thing}${added === 1 ? '' : 's'} added, ${count(total)} in all.${known}`;
};
