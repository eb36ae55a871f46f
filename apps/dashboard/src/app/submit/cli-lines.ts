import type { ModelKind } from './kind-choices.js';

/** The parts of a submission that become options of the CLI. */
export interface CommandLineTerms {
  readonly task: string;
  readonly kind: ModelKind;
  readonly name: string;
  readonly trainedOn: readonly string[];
  readonly publish: boolean;
  /** The origin of this service, as seen by the browser. */
  readonly url: string;
}

const FILES: Readonly<Record<ModelKind, string>> = {
  container: 'my-model.tar',
  onnx: 'export',
  predictions: 'predictions.jsonl',
};

/** Returns the shell commands that make the same submission: build, sign in, check and submit. */
export function cliLines(terms: CommandLineTerms): readonly string[] {
  const { task, kind, name, trainedOn, publish, url } = terms;
  const file = FILES[kind];
  const options = [
    `--name ${shellWord(name || 'My model')}`,
    ...(trainedOn.length > 0 ? [`--trained-on ${trainedOn.map(shellWord).join(' ')}`] : []),
    ...(publish ? [] : ['--no-publish']),
  ];
  return [
    ...MAKING[kind],
    `npx assay login --url ${url}`,
    ...(kind === 'predictions' ? [] : [`npx assay check ${file} --task ${task}`]),
    `npx assay submit ${task} ${file} ${options.join(' ')}`,
  ];
}

const MAKING: Readonly<Record<ModelKind, readonly string[]>> = {
  container: ['docker build --platform linux/amd64 -t my-model .', `docker save my-model -o ${FILES.container}`],
  onnx: [`optimum-cli export onnx --model my-model ${FILES.onnx}`],
  predictions: [],
};

/** Quotes a word for a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
