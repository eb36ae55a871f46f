import { Component, computed, inject, input } from '@angular/core';
import type { Quota, Task } from '@assay/api-client/angular';
import { CopyButton, Numbers, When } from '../ui/index.js';
import { linesOf, type SubmissionDraft } from './submission-draft.js';
import type { ModelKind } from './kind-choices.js';

/** The aside of the first step: remaining quota, run limits, and the equivalent CLI commands. */
@Component({
  selector: 'app-submission-aside',
  imports: [CopyButton, When],
  templateUrl: './submission-aside.html',
  styleUrl: './submission-aside.scss',
})
export class SubmissionAside {
  readonly task = input.required<Task>();
  readonly draft = input.required<SubmissionDraft>();
  readonly quota = input<Quota>();

  protected readonly numbers = inject(Numbers);
  protected readonly lines = computed(() => {
    const { kind, name, publish, allowForeignEvaluators, ...texts } = this.draft();
    const [trainedOn, derivedFrom] = [linesOf(texts.trainedOn), linesOf(texts.derivedFrom)];
    const terms = { kind, name: name.trim(), trainedOn, derivedFrom, publish, allowForeignEvaluators };
    return cliLines({ ...terms, task: this.task().slug, url: location.origin });
  });
  protected readonly runs = computed(() => this.draft().kind !== 'predictions');
}

/** The parts of a submission that become options of the CLI. */
interface CommandLineTerms {
  readonly task: string;
  readonly kind: ModelKind;
  readonly name: string;
  readonly trainedOn: readonly string[];
  readonly derivedFrom: readonly string[];
  readonly publish: boolean;
  readonly allowForeignEvaluators: boolean;
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
  const { task, kind, name, trainedOn, derivedFrom, publish, allowForeignEvaluators, url } = terms;
  const file = FILES[kind];
  const options = [
    `--name ${shellWord(name || 'My model')}`,
    ...(trainedOn.length > 0 ? [`--trained-on ${trainedOn.map(shellWord).join(' ')}`] : []),
    ...(derivedFrom.length > 0 ? [`--derived-from ${derivedFrom.map(shellWord).join(' ')}`] : []),
    ...(publish ? [] : ['--no-publish']),
    ...(allowForeignEvaluators && kind !== 'predictions' ? ['--allow-foreign-evaluators'] : []),
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
