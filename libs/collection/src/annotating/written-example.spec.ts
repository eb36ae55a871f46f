import { type GivenLabel } from '@assay/contracts/annotating';
import { DEFAULT_COLLECTION } from '@assay/contracts/collection';
import { TaskDefinition, type TaskOutput } from '@assay/contracts/tasks';
import { DomainError, seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { drawnOrder, facedBy } from './target-selection.js';
import { mixChoices, nearestChoice } from './distractors.js';
import { checkExtraFields, missingOf, requireExtraFields } from '../extra-fields.js';
import { readWritten } from './written-example.js';

const task = (output: TaskOutput) =>
  TaskDefinition.parse({
    slug: 'a-task',
    name: 'A task',
    inputs: [
      { name: 'passage', type: 'text' },
      { name: 'question', type: 'text' },
    ],
    output,
    performance: { label: 'accuracy', labels: 'micro_f1', span: 'squad_f1', text: 'exact_match', number: 'mae' }[
      output.type
    ],
  });
const context = { content: { passage: 'The lamp and the lamp.', prompt: 'Which?' } };
const read = (output: TaskOutput, label: GivenLabel, span?: { start: number; end: number }) =>
  readWritten(task(output), DEFAULT_COLLECTION, context, { input: { question: 'What?' }, label, span });
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return 'taken';
};

const LABEL: TaskOutput = { name: 'label', type: 'label', labels: ['yes', 'no'] };
const LABELS: TaskOutput = { name: 'labels', type: 'labels', labels: ['red', 'blue'] };
const SPAN: TaskOutput = { name: 'answer', type: 'span', of: 'passage' };
const TEXT: TaskOutput = { name: 'reply', type: 'text' };
const NUMBER: TaskOutput = { name: 'value', type: 'number' };

describe('readWritten', () => {
  it.each([
    ['a label', LABEL, 'yes', ['yes']],
    ['several labels', LABELS, ['red', 'blue', 'red'], ['["blue","red"]']],
    ['a span', SPAN, 'lamp', ['lamp']],
    ['two acceptable spans', SPAN, ['the lamp', 'lamp'], ['the lamp', 'lamp']],
    ['a text', TEXT, 'A lamp.', ['A lamp.']],
    ['a number', NUMBER, 2.5, ['2.5']],
  ] as const)('takes %s', (_, output, label, gold) => {
    const written = read(output, label as GivenLabel);
    expect(written.gold).toEqual(gold);
    expect(written.input).toEqual({ passage: context.content.passage, question: 'What?' });
    expect(written.text).toBe('What?');
  });

  it.each([
    ['another label', LABEL, 'maybe', 'unknown_label'],
    ['no label', LABELS, [], 'unknown_label'],
    ['an empty answer', TEXT, '  ', 'empty_answer'],
    ['no answer', SPAN, [], 'empty_answer'],
    ['a span that is elsewhere', SPAN, 'Lamp', 'answer_not_in_context'],
    ['a text for a number', NUMBER, '2', 'invalid_example'],
  ] as const)('refuses %s', (_, output, label, code) => {
    expect(codeOf(() => read(output, label as GivenLabel))).toBe(code);
  });

  it('finds a span where it stands first, unless its author has marked it', () => {
    expect(read(SPAN, 'lamp').span).toEqual({ start: 4, end: 8 });
    expect(read(SPAN, 'lamp', { start: 17, end: 21 }).span).toEqual({ start: 17, end: 21 });
    expect(codeOf(() => read(SPAN, 'lamp', { start: 16, end: 20 }))).toBe('answer_not_in_context');
  });
});

describe("a task's own questions", () => {
  const fields = [
    { name: 'source', label: 'Where from?', type: 'text' as const, required: true },
    { name: 'kind', label: 'Which?', type: 'choice' as const, choices: ['a', 'b'], required: false },
    { name: 'sure', label: 'How sure?', type: 'number' as const, required: false },
  ];

  it.each([
    [{ kind: 'c' }, 'invalid_field'],
    [{ sure: '1' }, 'invalid_field'],
    [{ source: 'a'.repeat(5_001) }, 'invalid_field'],
    [{ other: 1 }, 'unknown_field'],
    [{ kind: 'a', sure: 1, source: 'here' }, 'taken'],
  ])('%j', (given, code) => {
    expect(codeOf(() => checkExtraFields(fields, given, 'invalid_field'))).toBe(code);
  });

  it('say what is missing', () => {
    expect(codeOf(() => requireExtraFields(fields, { source: ' ' }))).toBe('field_missing');
    const asked = { explanations: ['example' as const, 'model' as const], fields };
    expect(missingOf(asked, { explanations: { model: 'Because.' }, extra: {} })).toEqual([
      'explanations.example',
      'extra.source',
    ]);
  });
});

describe('a multiple choice', () => {
  const pool = ['in Paris, in France', 'Berlin', 'in the south of France', 'IN FRANCE!', 'a fish', ''];

  it('mixes the right answer with the wrong ones that are nearest to it', () => {
    const mixed = mixChoices(['in France'], pool, 2, seededRng('a'))!;
    expect(mixed.texts).toHaveLength(3);
    expect(mixed.texts[mixed.right]).toBe('in France');
    expect([...mixed.texts].sort()).toEqual(['in France', 'in Paris, in France', 'in the south of France']);
    expect(mixChoices(['in France'], ['In France'], 2, seededRng('a'))).toBeNull();
  });

  it('takes the choice that an answer is nearest to', () => {
    const choices = { texts: ['Berlin', 'in France'], right: 1 };
    expect(nearestChoice(choices, ['in France', 'France'], 'It was in France.')).toBe(1);
    expect(nearestChoice(choices, ['in France'], 'Berlin, I think')).toBe(0);
    expect(nearestChoice(choices, ['in France'], '???')).toBe(0);
  });
});

describe('the models that an example faces', () => {
  const models = Array.from({ length: 4 }, (_, index) => ({ id: `model-${index}` }));

  it('are drawn alike often, and stay when others come or go', () => {
    const counts = new Map<string, number>();
    for (let context = 0; context < 4_000; context++) {
      const order = drawnOrder(models, `context-${context}`);
      counts.set(order[0]!.id, (counts.get(order[0]!.id) ?? 0) + 1);
      const gone = models.filter(({ id }) => id !== order[3]!.id);
      expect(drawnOrder(gone, `context-${context}`)[0]).toBe(order[0]);
    }
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(120);
  });

  it('are one, or all of an ensemble', () => {
    expect([facedBy('one', 3), facedBy('one', 0), facedBy('majority', 3)]).toEqual([1, 0, 3]);
  });
});
