import { describe, expect, it } from '@jest/globals';
import { CreateToken } from '../identity/identity.js';
import { SubmitModel } from '../models/model.js';
import { ChangeProfile } from '../people/people.js';
import { TaskDefinition } from '../tasks/task.js';

const TASK = {
  slug: 'moods',
  name: 'Moods',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
};
const FIELD = { name: 'why', type: 'choice', label: 'Why?', choices: ['one', 'other'] };
const fieldWith = (key: 'fields' | 'validationFields', part: object) =>
  TaskDefinition.safeParse({ ...TASK, collection: { [key]: [{ ...FIELD, ...part }] } }).data?.collection?.[key][0];

/** Parses a name by each schema that has one. Null if the schema rejects the name. */
const NAMED: Readonly<Record<string, (name: string) => unknown>> = {
  task: (name) => TaskDefinition.safeParse({ ...TASK, name }).data?.name ?? null,
  model: (name) => SubmitModel.safeParse({ name, kind: 'container' }).data?.name ?? null,
  token: (name) => CreateToken.safeParse({ name }).data?.name ?? null,
  'question to annotators': (label) => fieldWith('fields', { label })?.label ?? null,
  'question to validators': (label) => fieldWith('validationFields', { label })?.label ?? null,
  'data set that a model was trained on': (name) =>
    SubmitModel.safeParse({ name: 'Bert', kind: 'container', trainedOn: ['snli', name] }).data?.trainedOn[1] ?? null,
  'displayed user': (name) => ChangeProfile.safeParse({ displayName: name }).data?.displayName ?? null,
};

describe.each(Object.entries(NAMED))('the name of a %s', (_what, taken) => {
  it.each([
    ['a line break', 'a\nb'],
    ['a tab', 'a\tb'],
    ['U+0000', 'a\0b'],
    ['an escape', 'a\u001b[31mb'],
    ['a control of C1', 'a\u0085b'],
    ['an override of the direction', 'a\u202eb'],
    ['an isolate', 'a\u2066b'],
    ['a mark of direction', 'a\u200fb'],
    ['a space without width', 'a\u200bb'],
    ['a joiner without width', 'a\u200db'],
    ['a byte order mark', 'a\ufeffb'],
    ['a soft hyphen', 'a\u00adb'],
    ['a filler', 'a\u3164b'],
    ['a tag', 'a\u{e0041}b'],
    ['a line separator', 'a\u2028b'],
    ['half a pair', 'a\ud800b'],
    ['nothing but spaces', '  '],
  ])('has not %s', (_character, name) => {
    expect(taken(name)).toBeNull();
  });

  it('is one however it was typed, in any script', () => {
    expect(taken('Cafe\u0301')).toBe('Caf\u00e9');
    for (const name of ['BERT (large) v2.1', '模型', 'نموذج', 'Größe', 'Модель №1', '🎯 focus'])
      expect(taken(name)).toBe(name);
  });
});

it('questions may have joiners within words and pictures, and nowhere else', () => {
  const asked = (label: string) => fieldWith('fields', { label })?.label;
  for (const label of ['نمی\u200cخواهم؟', 'क्\u200dष', '👩\u200d🔬 or 👨\u200d🔬?']) expect(asked(label)).toBe(label);
  for (const label of ['\u200cWhy?', 'Why?\u200d', 'a \u200d b', 'a\u200c\u200db'])
    expect(asked(label)).toBeUndefined();
});

it('choices have no such characters either, and stay as they are', () => {
  for (const key of ['fields', 'validationFields'] as const) {
    const choices = (choice: string) => fieldWith(key, { choices: [choice, 'other'] })?.choices;
    for (const choice of ['a\u202eb', 'a\u200bb', 'a\nb', '\u001b[31mred', '']) expect(choices(choice)).toBeUndefined();
    expect(choices('Cafe\u0301 ')).toEqual(['Cafe\u0301 ', 'other']);
  }
});

it('labels have no such characters either, and stay as they are', () => {
  const labelled = (label: string) =>
    TaskDefinition.safeParse({ ...TASK, output: { ...TASK.output, labels: [label, 'other'] } });
  expect(labelled('a\u202eb').success).toBe(false);
  expect(labelled('Cafe\u0301').data?.output).toMatchObject({ labels: ['Cafe\u0301', 'other'] });
});
