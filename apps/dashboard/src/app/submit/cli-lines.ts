import type { ModelKind } from './kind-choices.js';

/** What of a submission the command line is told. */
export interface CommandLineTerms {
  readonly task: string;
  readonly kind: ModelKind;
  readonly name: string;
  readonly trainedOn: readonly string[];
  readonly publish: boolean;
  /** The address of this service, as the browser has it. */
  readonly url: string;
}

const FILES: Readonly<Record<ModelKind, string>> = {
  container: 'my-model.tar',
  onnx: 'export',
  predictions: 'predictions.jsonl',
};

/** The few lines of a terminal that do what the page does, from the file to the rank. */
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

/** A word as a POSIX shell takes it literally. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
