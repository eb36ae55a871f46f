import type { Annotation, Loop, Task } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import {
  answerInWords,
  answersSpoken,
  labelInWords,
  modelsNotReady,
  ruleInWords,
  verdictInWords,
  waitInWords,
} from './answers-in-words.js';

const answered = (answers: readonly string[], fooled: boolean | null) =>
  ({
    answers: answers.map((answer, index) => ({
      place: index + 1,
      answer,
      probabilities: { [answer]: 0.93 },
      milliseconds: 1,
      at: '',
    })),
    fooled,
    label: ['contradiction'],
    choices: null,
  }) as unknown as Annotation;
const task = (collection: object = {}, type = 'label') =>
  ({ collection, output: { name: 'label', type, labels: ['entailment', 'contradiction'] } }) as unknown as Task;

describe('what came of an example', () => {
  it('is celebrated in a word, and never in a task with a content warning', () => {
    expect(verdictInWords(answered(['entailment'], true), task())).toBe('You fooled the model');
    expect(verdictInWords(answered(['entailment'], true), task({ contentWarning: 'Hate.' }))).toBe(
      'The model was wrong',
    );
    expect(verdictInWords(answered(['a', 'b'], true), task({ contentWarning: 'Hate.' }))).toBe('The models were wrong');
  });

  it('says that an example counts that fooled nobody', () => {
    expect(verdictInWords(answered(['contradiction'], false), task())).toBe('The model was not fooled');
    expect(ruleInWords(answered(['contradiction'], false), task())).toContain('The example still counts as data');
  });

  it('says so where nobody was asked', () => {
    expect(verdictInWords(answered([], null), task())).toBe('Your example is sent');
    expect(ruleInWords(answered([], null), task())).toContain('You see no model here');
  });

  it('asks the annotator where the task leaves it to them', () => {
    expect(ruleInWords(answered(['red'], null), task({ fooled: 'ask' }, 'text'))).toContain('Say whether');
    expect(ruleInWords(answered(['red'], null), task({}, 'text'))).toContain('Say whether');
  });

  it('is read out in full by a screen reader', () => {
    const percent = (ratio: number) => (ratio * 100).toFixed(1);
    expect(answersSpoken(answered(['entailment'], true), task(), percent)).toBe(
      'You fooled the model. It answered: entailment, 93.0 percent sure. You say it is contradiction. Validators decide whether you are right.',
    );
  });
});

it('reads several labels from their list', () => {
  expect(answerInWords('["a","b"]', { type: 'labels' })).toBe('a, b');
  expect(answerInWords('[]', { type: 'labels' })).toBe('no label');
  expect(answerInWords('["a"', { type: 'labels' })).toBe('["a"');
  expect(answerInWords('["a"]', { type: 'text' })).toBe('["a"]');
  expect(labelInWords(['["a","b"]'], { type: 'labels' })).toBe('a, b');
  expect(labelInWords(['a', 'b'], { type: 'text' })).toBe('a, b');
});

const loop = (...serving: readonly object[]) =>
  ({ models: serving.map((each) => ({ serving: each })) }) as unknown as Loop;
const ready = { state: 'ready', paused: false };
const held = { state: 'ready', paused: true };
const starting = { state: 'starting', paused: false, progress: { message: 'Its container starts.' } };

describe('models that are not ready', () => {
  it('are said nothing of while one can answer', () => {
    expect(modelsNotReady(loop(starting, ready))).toBe('');
    expect(modelsNotReady({ models: [] })).toBe('');
  });

  it('are said to start', () => expect(modelsNotReady(loop(starting))).toContain('Its container starts.'));

  it('are said to keep still while costs are measured', () => {
    expect(modelsNotReady(loop(starting, held))).toContain('while costs are measured');
  });
});

it('says that the example will be answered', () => {
  const problem = { code: 'model_starting', status: 503, detail: 'Its container starts.', errors: [] };
  expect(waitInWords(problem)).toBe('Its container starts. Your example will be answered automatically.');
  expect(waitInWords(null)).toBe('Your example will be answered automatically.');
});
