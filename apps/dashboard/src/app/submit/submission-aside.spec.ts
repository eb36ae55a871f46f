import { describe, expect, it } from '@jest/globals';
import { cliLines, shellWord } from './submission-aside.js';

const TERMS = {
  task: 'nli',
  name: 'Small BERT',
  trainedOn: [],
  derivedFrom: [],
  publish: true,
  allowForeignEvaluators: false,
  url: 'https://assay.example',
} as const;

describe('cliLines', () => {
  it('builds, saves, signs in, checks and submits a container', () => {
    expect(cliLines({ ...TERMS, kind: 'container', trainedOn: ['mnli', 'snli corpus'], publish: false })).toEqual([
      'docker build --platform linux/amd64 -t my-model .',
      'docker save my-model -o my-model.tar',
      'npx assay login --url https://assay.example',
      'npx assay check my-model.tar --task nli',
      "npx assay submit nli my-model.tar --name 'Small BERT' --trained-on mnli 'snli corpus' --no-publish",
    ]);
  });

  it('lets evaluators of the task’s owner run what is not a file of predictions', () => {
    const allowed = { ...TERMS, allowForeignEvaluators: true };
    expect(cliLines({ ...allowed, kind: 'onnx' }).at(-1)).toMatch(/ --allow-foreign-evaluators$/);
    expect(cliLines({ ...allowed, kind: 'predictions' }).at(-1)).not.toContain('foreign');
  });

  it('names the models that it descends from', () => {
    expect(cliLines({ ...TERMS, kind: 'onnx', derivedFrom: ['a', 'b'] }).at(-1)).toMatch(/ --derived-from a b$/);
  });

  it('has nothing to try of predictions, and a name before one is given', () => {
    expect(cliLines({ ...TERMS, kind: 'predictions', name: '' })).toEqual([
      'npx assay login --url https://assay.example',
      "npx assay submit nli predictions.jsonl --name 'My model'",
    ]);
  });
});

describe('shellWord', () => {
  it.each([
    ['mnli', 'mnli'],
    ['two words', "'two words'"],
    ["it's", `'it'\\''s'`],
    ['$(rm -r .)', "'$(rm -r .)'"],
    ['', "''"],
  ])('%s', (word, quoted) => expect(shellWord(word)).toBe(quoted));
});
