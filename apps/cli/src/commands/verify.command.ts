import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type SignedResult } from '@assay/contracts/results';
import { evaluatorNamesOf } from '@assay/scoring/marks';
import { Command, InvalidArgumentError } from 'commander';
import { estimateText, unitOf } from '../format/numbers.js';
import { tableText } from '../format/table.js';
import { verifyDataset } from '../verify/verify-dataset.js';
import { retirementOf, verifyResult } from '../verify/verify-result.js';
import { outputOf } from './command.js';

interface VerifyOptions {
  readonly json?: boolean;
  readonly key?: string;
  readonly dataset: ReadonlyMap<string, string>;
  readonly salt: ReadonlyMap<string, string>;
}

export const verifyCommand = (): Command =>
  new Command('verify')
    .description('verify a signed result, without contacting a server')
    .argument('<file>', 'a file that `assay model result` wrote')
    .option(
      '--key <file>',
      'the public key (PEM) that you trust, or the complete response of GET /api/v1/signing-key, which also has retired keys',
    )
    .option('--dataset <name=file>', 'a file that was uploaded as this dataset; repeatable', named(/./), new Map())
    .option(
      '--salt <name=hex>',
      'the salt published with a dataset that was not public when the result was signed; repeatable',
      named(/^[0-9a-f]{64}$/),
      new Map(),
    )
    .option('--json', 'print the result as JSON on standard output')
    .addHelpText('after', '\nExample:\n  assay verify result.json --key signing-key.json')
    .action(verifyFile);

async function verifyFile(file: string, options: VerifyOptions): Promise<void> {
  const trusted = options.key === undefined ? null : await readFile(options.key, 'utf8');
  const signed = verifyResult(await readFile(file, 'utf8'), trusted);
  for (const [name, path] of options.dataset) {
    await verifyDataset(signed.result, name, createReadStream(path), options.salt.get(name) ?? null);
  }
  const retiredAt = retirementOf(signed, trusted);
  const found = { trusted: trusted !== null, ...(retiredAt !== null && { retiredAt }) };
  const text = verifiedText(signed, { trusted, retiredAt, datasets: [...options.dataset.keys()] });
  outputOf(options).result({ verified: true, ...found, ...signed }, text);
}

/**
 * Returns an option parser that adds `NAME=VALUE` to the pairs of earlier options. The value must
 * match `form`.
 */
const named =
  (form: RegExp) =>
  (text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
    const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined || !form.test(value)) {
      throw new InvalidArgumentError('Expected NAME=VALUE.');
    }
    return new Map([...before, [name, value]]);
  };

interface Verified {
  readonly trusted: string | null;
  readonly retiredAt: string | null;
  /** Names of the datasets whose bytes match the given files. */
  readonly datasets: readonly string[];
}

function verifiedText({ result, signature }: SignedResult, { trusted, retiredAt, datasets }: Verified): string {
  const { model, task, service, evaluations } = result;
  const rows = evaluations.flatMap(({ dataset, version, perturbation, examples, metrics }) =>
    Object.entries(metrics).map(([name, estimate]) => [
      `${dataset} v${version}${perturbation ? `, ${perturbation}` : ''}`,
      String(examples),
      name,
      estimateText(unitOf(name), estimate),
    ]),
  );
  const whose =
    trusted === null
      ? `Signed with the key ${signature.keyId}. To check that it is the key of ${service}, pass a copy that you trust with --key FILE.`
      : `Signed with the key that you trust: ${signature.keyId}.`;
  const evaluators = evaluatorNamesOf(evaluations);
  const earlier = [...new Set(evaluations.flatMap(({ retiredKey }) => retiredKey?.retiredAt ?? []))];
  return [
    `The signature is valid. The file has not changed since ${service} signed it.`,
    whose,
    ...(retiredAt === null ? [] : [`It was signed with a key that was retired on ${dayOf(retiredAt)}.`]),
    ...earlier.map((at) => `Some scores are older than ${dayOf(at)}, when the signing key of that time was retired.`),
    ...(evaluators === '' ? [] : [`Evaluators of users ran the model: ${evaluators}.`]),
    ...datasets.map((name) => `The dataset "${name}" matches the file that you gave.`),
    '',
    `${model.name} (${model.kind}, by ${model.owner}) on ${task.name}`,
    tableText(['dataset', 'examples', 'metric', 'value'], rows),
  ].join('\n');
}

const dayOf = (time: string): string => time.slice(0, 10);
