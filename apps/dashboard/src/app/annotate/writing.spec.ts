import type { Annotation, NextContext, Task } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { NO_WHY } from './drafts.js';
import {
  asksWhetherWrong,
  changeOf,
  charactersOf,
  continued,
  exampleOf,
  lackingOf,
  mayBeRecorded,
  newDraft,
  spanTextOf,
} from './writing.js';

const RULES = {
  written: ['hypothesis'],
  labels: ['entailment', 'neutral'],
  fooled: 'label-differs',
  facing: 'one',
  prompt: 'none',
  length: { shortest: 1, longest: 10 },
  explanations: [],
  fields: [],
  instructions: '',
};
const given = (more: object = {}, rules: object = {}): NextContext =>
  ({
    round: 1,
    context: { id: 'c1', content: { context: 'It rains.' }, tags: [], prompt: 'Start here.' },
    condition: null,
    goal: null,
    models: 1,
    rules: { ...RULES, ...rules },
    left: 5,
    reservedUntil: '',
    ...more,
  }) as NextContext;
const written = (context: NextContext, hypothesis: string, label: string | null = 'neutral') => ({
  ...newDraft(context, 'k'),
  input: { hypothesis },
  ...(label !== null && { label }),
});

describe('a new draft', () => {
  it('is empty, with the label that is to be written for', () => {
    expect(newDraft(given({ goal: 'neutral' }), 'k')).toMatchObject({
      key: 'k',
      context: 'c1',
      input: { hypothesis: '' },
      label: 'neutral',
      attempt: 1,
    });
  });

  it('starts from the prompt where the task wants that', () => {
    expect(newDraft(given({}, { prompt: 'required' }), 'k').input).toEqual({ hypothesis: 'Start here.' });
    expect(newDraft(given({}, { prompt: 'optional' }), 'k').input).toEqual({ hypothesis: '' });
  });

  it('starts from the last try on the same context, and counts it', () => {
    const before = written(given(), 'Dry.');
    expect(newDraft(given(), 'k2', before)).toMatchObject({ input: { hypothesis: 'Dry.' }, label: null, attempt: 2 });
  });

  it('starts from the example whose label it is to flip', () => {
    const contrast = { id: 'a1', input: { hypothesis: 'Wet.' }, label: ['neutral'] };
    expect(newDraft(given({ contrast }), 'k')).toMatchObject({ input: { hypothesis: 'Wet.' }, contrastTo: 'a1' });
  });
});

describe('the text in which an answer is marked', () => {
  const draft = written(given(), 'It pours.');

  it('is that of the context', () => {
    expect(spanTextOf(draft, given({}, { span: 'context' }))).toBe('It rains.');
  });

  it('is that of the draft if it is written', () => {
    expect(spanTextOf(draft, given({}, { span: 'hypothesis' }))).toBe('It pours.');
  });

  it('is empty where nothing is marked', () => expect(spanTextOf(draft, given())).toBe(''));
});

describe('what was left half written', () => {
  const contrast = { id: 'a1', input: { hypothesis: 'Wet.' }, label: ['neutral'] };

  it('continues, for the label to write for now', () => {
    expect(continued(written(given(), 'Dr'), given({ goal: 'entailment' }))).toMatchObject({
      input: { hypothesis: 'Dr' },
      label: 'entailment',
    });
  });

  it('continues for the same contrast, and for no other', () => {
    const left = written(given({ contrast }), 'We');
    expect(continued(left, given({ contrast }))).toBe(left);
    expect(continued(left, given())).toBeUndefined();
    expect(continued(written(given(), 'We'), given({ contrast }))).toBeUndefined();
  });

  it('is over once it was sent', () => {
    expect(continued({ ...written(given(), 'Dry.'), sent: 'a1' }, given())).toBeUndefined();
  });
});

describe('what is lacking', () => {
  it.each([
    ['  ', 'neutral', 'hypothesis'],
    ['12345678901', 'neutral', 'hypothesis'],
    ['🚢🚢🚢🚢🚢🚢', null, 'label'],
    ['Dry.', 'neutral', undefined],
  ])('of "%s" with the label %s is %s', (text, label, field) => {
    expect(lackingOf(written(given(), text, label), given(), 'label')?.field).toBe(field);
  });

  it('is a marking where an answer is to be marked', () => {
    const spans = given({}, { span: 'context' });
    expect(lackingOf(written(spans, 'When?', null), spans, 'answer')?.field).toBe('context');
    expect(
      lackingOf({ ...written(spans, 'When?', null), span: { start: 0, end: 2 } }, spans, 'answer'),
    ).toBeUndefined();
  });
});

describe('what is sent', () => {
  it('is what was written, with the label that was shown to write for', () => {
    const context = given({ goal: 'neutral' });
    expect(exampleOf(written(context, 'Dry.'), context)).toEqual({
      key: 'k',
      context: 'c1',
      input: { hypothesis: 'Dry.' },
      label: 'neutral',
      goal: 'neutral',
    });
  });

  it('is the marked text as it stands, with its place', () => {
    const context = given({}, { span: 'context' });
    const draft = { ...written(context, 'What falls?', null), span: { start: 3, end: 8 } };
    expect(exampleOf(draft, context)).toMatchObject({ label: 'rains', span: { start: 3, end: 8 } });
  });
});

describe('what is added to an example', () => {
  const annotation = {
    explanations: { example: 'As it rains.' },
    extra: { sure: true },
    fooled: null,
  } as unknown as Annotation;

  it('is what has changed, and nothing where nothing has', () => {
    const why = { ...NO_WHY, example: 'As it rains.', extra: { sure: true } };
    expect(changeOf(annotation, why)).toBeUndefined();
    expect(changeOf(annotation, { ...why, model: 'It missed "not".', fooled: false })).toEqual({
      explanations: { model: 'It missed "not".' },
      fooled: false,
    });
    expect(changeOf(annotation, { ...why, extra: { sure: false } })).toEqual({ extra: { sure: false } });
  });
});

it('asks whether the model was wrong where the task leaves it to people, and there was an answer', () => {
  const task = (collection: object, type: string) => ({ collection, output: { type } }) as unknown as Task;
  const annotation = { answers: [{}], choices: null } as unknown as Annotation;
  expect(asksWhetherWrong(task({ fooled: 'ask' }, 'label'), annotation)).toBe(true);
  expect(asksWhetherWrong(task({}, 'text'), annotation)).toBe(true);
  expect(asksWhetherWrong(task({}, 'text'), { ...annotation, answers: [] })).toBe(false);
  expect(asksWhetherWrong(task({ distractors: 3 }, 'text'), annotation)).toBe(false);
  expect(asksWhetherWrong(task({}, 'label'), annotation)).toBe(false);
});

it('takes for kept what was sent and not refused', () => {
  const problem = (status: number) => ({ code: '', status, detail: '', errors: [] });
  expect([0, 502, 503].map((status) => mayBeRecorded(problem(status)))).toEqual([true, true, true]);
  expect([401, 409, 422].map((status) => mayBeRecorded(problem(status)))).toEqual([false, false, false]);
});

it('counts characters as the service does', () => expect(charactersOf('🚢é')).toBe(2));
