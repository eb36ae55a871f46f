import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DatasetPut,
  datasetsPut,
  type DatasetsPutData,
  type DatasetSummary,
  tasksGet,
} from '@assay/api-client/fetch';
import { DatasetName } from '@assay/contracts/datasets';
import { SAMPLE_EXAMPLES } from '@assay/contracts/tasks';
import type { Command } from 'commander';
import { datasetContent } from '../check/example-instances.js';
import { usageFailure } from '../command-failure.js';
import { type Api, contentOf, operationQuery } from '../connection/api.js';
import { fileBody } from '../connection/files.js';
import { count as shown } from '../format/numbers.js';
import { withCleanUp } from '../interruption.js';
import { splitSample } from '../sample/split-sample.js';
import { commandForTask, printing, type Session } from './command.js';
import { wholeNumber } from './option-values.js';

interface SampleOptions {
  readonly count: number;
  readonly seed: string;
}

/** The new version of a dataset without the sample, and the sample. */
interface DrawnSample {
  readonly dataset: DatasetPut;
  readonly sample: DatasetPut;
  /** False while models are still scored on its examples: the sample is hidden then. */
  readonly isPublic: boolean;
}

export const sampleCommand = (): Command =>
  commandForTask('sample', 'move a random part of a hidden dataset into a public sample')
    .argument('<name>', 'the name of the hidden dataset')
    .option('--count <number>', 'the number of examples to draw', wholeNumber, SAMPLE_EXAMPLES)
    .option('--seed <text>', 'the same seed draws the same examples', '1')
    .addHelpText(
      'after',
      '\nExample:\n  assay dataset sample nli round-1 --count 50\n\n' +
        'The dataset gets a new version without the drawn examples, so no scored hidden example is public. Models\n' +
        'answer it again. The sample is a static dataset named NAME-sample, which is shown and does not rank.',
    )
    .action(printing(drawSample, (drawn, _session, task) => drawnText(drawn, task)));

async function drawSample(
  { api }: Session,
  slug: string,
  name: string,
  { count, seed }: SampleOptions,
): Promise<DrawnSample> {
  const { datasets } = await contentOf(tasksGet({ client: api, path: { slug } }));
  const { examples } = expectDrawable(datasets, slug, name, count);
  const folder = await mkdtemp(join(tmpdir(), 'assay-sample-'));
  return withCleanUp(
    () => rm(folder, { recursive: true, force: true }),
    async () => {
      const files = { sample: join(folder, 'sample.jsonl'), rest: join(folder, 'rest.jsonl') };
      await splitSample(await datasetContent(api, slug, name), { examples, count, seed }, files);
      const dataset = await put(api, { slug, name }, files.rest, {});
      const isPublic = dataset.status === 'active';
      const sample = await put(api, { slug, name: sampleName(name) }, files.sample, {
        role: 'static',
        use: 'reporting',
        visibility: isPublic ? 'public' : 'hidden',
      });
      return { dataset, sample, isPublic };
    },
  );
}

const sampleName = (name: string): string => `${name}-sample`;

/** Returns the active version of the dataset. @throws CommandFailure if no sample can be drawn from it */
function expectDrawable(
  datasets: readonly DatasetSummary[],
  slug: string,
  name: string,
  count: number,
): DatasetSummary {
  const sample = sampleName(name);
  const versions = datasets.filter((dataset) => dataset.name === name);
  const active = versions.find(({ status }) => status === 'active');
  if (versions.length > 1 || (versions.length === 1 && !active)) {
    throw usageFailure(`${name} has a proposed version. Activate it first: assay benchmark activate ${slug}`);
  }
  if (!active) throw usageFailure(`${slug} has no dataset "${name}".`);
  if (active.visibility === 'public') throw usageFailure(`${name} is public, so it needs no sample.`);
  if (count < SAMPLE_EXAMPLES) throw usageFailure(`A sample has at least ${SAMPLE_EXAMPLES} examples.`);
  if (active.examples < 2 * count) {
    throw usageFailure(
      `${name} has ${shown(active.examples)} examples. A sample of ${shown(count)} needs at least ${shown(2 * count)}.`,
    );
  }
  if (datasets.some((dataset) => dataset.name === sample))
    throw usageFailure(`${slug} already has a dataset ${sample}.`);
  if (!DatasetName.safeParse(sample).success) throw usageFailure(`${sample} is too long for the name of a dataset.`);
  return active;
}

const put = async (
  client: Api,
  path: { readonly slug: string; readonly name: string },
  file: string,
  query: NonNullable<DatasetsPutData['query']>,
): Promise<DatasetPut> =>
  contentOf(
    datasetsPut({
      client,
      path,
      query: operationQuery<DatasetsPutData>(query),
      headers: { 'content-type': 'application/x-ndjson' },
      body: await fileBody(file),
    }),
  );

function drawnText({ dataset, sample, isPublic }: DrawnSample, task: string): string {
  const rest = `${dataset.name} v${dataset.version}: ${shown(dataset.examples)} examples, ${dataset.status}.`;
  const drawn = `${sample.name} v${sample.version}: ${shown(sample.examples)} examples, ${sample.status}, ${isPublic ? 'public' : 'hidden'}.`;
  if (isPublic) return `${rest}\n${drawn}`;
  return [
    rest,
    drawn,
    `Models are still scored on the drawn examples, so the sample is hidden. To make it public:`,
    `  assay benchmark activate ${task} --datasets ${dataset.name},${sample.name}`,
    `  assay dataset change ${task} ${sample.name} --visibility public`,
  ].join('\n');
}
