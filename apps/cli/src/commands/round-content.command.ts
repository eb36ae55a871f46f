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
import { contentOf } from '../connection/api.js';
import { download } from '../connection/download.js';
import { fileBody } from '../connection/file-body.js';
import { operationQuery } from '../connection/operation-query.js';
import { count } from '../format/numbers.js';
import { command, group, sessionOf, type CommonOptions } from './command.js';
import { roundNumber } from './round-options.js';

type ExamplesOptions = CommonOptions & { readonly check?: true };

interface ExportOptions extends CommonOptions {
  readonly round?: number;
  readonly outcome?: (typeof ANNOTATION_OUTCOMES)[number];
  readonly source?: 'written' | 'attested';
  readonly output?: string;
}

export function contextsCommand(): Command {
  return group(
    'contexts',
    'contexts that annotators write examples for',
    command('put', 'add contexts to an open round; contexts that it already has are skipped')
      .argument('<task>', 'the slug of the task')
      .argument('<round>', 'the number of the round', roundNumber)
      .argument('<file>', 'JSON Lines: the inputs that people do not write, and optionally id, prompt, tags')
      .addHelpText('after', '\nExample:\n  assay contexts put nli 2 passages.jsonl')
      .action(putContexts),
  );
}

export function examplesCommand(): Command {
  return group(
    'examples',
    'examples that were collected elsewhere',
    command('put', 'import examples into an open round; they are marked as imported, and validated like the others')
      .argument('<task>', 'the slug of the task')
      .argument('<round>', 'the number of the round', roundNumber)
      .argument('<file>', 'JSON Lines: inputs and output; optionally id, contextId, annotator, fooled, explanations')
      .option(
        '--check',
        'import them as gold checks, which measure validators and do not count as examples of the round',
      )
      .addHelpText('after', '\nExample:\n  assay examples put nli 2 known.jsonl --check')
      .action(putExamples),
  );
}

export function exportCommand(): Command {
  return command('export', 'download examples with their answers, validations and explanations, as JSON Lines')
    .argument('<task>', 'the slug of the task')
    .option('--round <number>', 'only examples of this round', roundNumber)
    .addOption(new Option('--outcome <outcome>', 'only examples with this outcome').choices(ANNOTATION_OUTCOMES))
    .addOption(
      new Option('--source <source>', 'only examples written in Assay, or only imported ones (attested)').choices([
        'written',
        'attested',
      ]),
    )
    .option('-o, --output <file>', 'the output file (default: standard output)')
    .addHelpText('after', '\nExample:\n  assay export nli --round 1 -o round-1.jsonl')
    .action(exportAnnotations);
}

async function putContexts(slug: string, number: number, file: string, options: CommonOptions): Promise<void> {
  const body = await fileBody(file);
  const { api, output } = await sessionOf(options);
  const put = await contentOf(roundsPutContexts({ client: api, path: { slug, number: String(number) }, body }));
  output.result(put, linesText(`Round ${number} of ${slug}`, 'context', put));
}

async function putExamples(slug: string, number: number, file: string, options: ExamplesOptions): Promise<void> {
  const body = await fileBody(file);
  const { api, output } = await sessionOf(options);
  const put = await contentOf(
    rounddataPutExamples({
      client: api,
      path: { slug, number: String(number) },
      query: operationQuery<RounddataPutExamplesData>({ check: options.check && 'true' }),
      body,
    }),
  );
  output.result(put, linesText(`Round ${number} of ${slug}`, options.check ? 'check' : 'imported example', put));
}

async function exportAnnotations(slug: string, options: ExportOptions): Promise<void> {
  const { round, outcome, source, output: file } = options;
  const { api, output } = await sessionOf(options);
  const query = operationQuery<AnnotationexportsTaskData>({ outcome, source });
  const request = { client: api, query, parseAs: 'stream' } as const;
  const answer =
    round === undefined
      ? annotationexportsTask({ ...request, path: { slug } })
      : annotationexportsRound({ ...request, path: { slug, number: String(round) } });
  await download(output, answer, file);
}

const linesText = (round: string, thing: string, { added, present, total }: LinesPut): string => {
  const known = present === 0 ? '' : ` ${count(present)} already existed.`;
  return `${round}: ${count(added)} ${thing}${added === 1 ? '' : 's'} added, ${count(total)} in all.${known}`;
};
