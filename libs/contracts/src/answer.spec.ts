import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { labelDiffers, parseAnswer, predictionOf } from './answer.js';
import type { TaskOutput } from './tasks/task.js';

const LABEL: TaskOutput = { name: 'label', type: 'label', labels: ['positive', 'negative', 'constructor'] };
const LABELS: TaskOutput = { name: 'topics', type: 'labels', labels: ['a', 'b'] };
const SPAN: TaskOutput = { name: 'answer', type: 'span', of: 'context' };
const TEXT: TaskOutput = { name: 'answer', type: 'text' };
const NUMBER: TaskOutput = { name: 'value', type: 'number' };

const INFINITE = JSON.parse('1e999') as number;

describe('parseAnswer', () => {
  it.each<[string, TaskOutput, unknown, string]>([
    ['NUL', TEXT, 'a \0', 'is a string that contains a NUL character'],
    ['NUL in an object', TEXT, { generated_text: '\0' }, 'is a string that contains a NUL character'],
    ['half of a surrogate pair', TEXT, 'half of \ud83d', 'is a string that contains half of a surrogate pair'],
    ['NUL in a span', SPAN, { answer: '\0' }, 'is a string that contains a NUL character'],
  ])('refuses a text that cannot be kept as it is: %s', (_, output, prediction, why) => {
    expect(parseAnswer(output, prediction)).toEqual({ ok: false, code: 'invalid_prediction', why });
  });

  it('refuses what is deeper than what can be written again', () => {
    const deep = JSON.parse(`${'['.repeat(70_000)}${']'.repeat(70_000)}`) as unknown;
    for (const output of [LABEL, LABELS, SPAN, TEXT, NUMBER]) {
      expect(parseAnswer(output, deep)).toMatchObject({ ok: false, code: 'invalid_prediction' });
    }
  });

  it('refuses a label that is not the most probable one only where the task demands it', () => {
    const prediction = { label: 'positive', probabilities: { positive: 0.1, negative: 0.2, constructor: 0.7 } };

    expect(parseAnswer(LABEL, prediction)).toMatchObject({ ok: true, answer: { text: 'positive' } });
    expect(parseAnswer(LABEL, prediction, { strictProbabilities: false })).toMatchObject({ ok: true });
    expect(parseAnswer(LABEL, prediction, { strictProbabilities: true })).toEqual({
      ok: false,
      code: 'label_not_top',
      why: 'is "positive", but its probabilities make "constructor" more probable',
    });
    expect(parseAnswer(LABEL, 'positive', { strictProbabilities: true })).toMatchObject({ ok: true });
  });

  it('takes probabilities that differ by at most 1e-6 for a tie', () => {
    const differs = (own: number, other: number) => labelDiffers(['a', 'b'], 'a', [own, other]);

    expect(differs(0.5, 0.5)).toBe(false);
    expect(differs(0.6, 0.4)).toBe(false);
    expect(differs(0.5, 0.500001)).toBe(false);
    expect(differs(Math.fround(0.4999995), Math.fround(0.5000005))).toBe(false);
    expect(differs(0.5, 0.500002)).toBe(true);
    expect(differs(0, 1)).toBe(true);
  });

  it('takes `__proto__` for a key like any other', () => {
    const prediction: unknown = JSON.parse('{"label": "positive", "probabilities": {"positive": 1, "__proto__": 0}}');
    expect(parseAnswer(LABEL, prediction)).toEqual({
      ok: false,
      code: 'invalid_probabilities',
      why: 'gives a probability to "__proto__", which is not a label',
    });
    expect(parseAnswer(LABEL, JSON.parse('{"__proto__": {"label": "positive"}}'))).toMatchObject({ ok: false });
    expect(parseAnswer(LABEL, JSON.parse('{"label": "__proto__"}'))).toMatchObject({
      ok: false,
      code: 'unknown_label',
    });
  });

  it.each<[TaskOutput, unknown, object]>([
    [LABEL, 'positive', { text: 'positive' }],
    [LABEL, { label: 'negative' }, { text: 'negative' }],
    [LABEL, { label: 'negative', probabilities: null }, { text: 'negative' }],
    [LABEL, { label: 'negative', score: 0.7 }, { text: 'negative' }],
    [LABEL, { label: 'negative', probabilities: { negative: 1 } }, { text: 'negative', probabilities: [0, 1, 0] }],
    [
      LABEL,
      { label: 'positive', probabilities: { constructor: 0.3, positive: 0.7 } },
      { text: 'positive', probabilities: [0.7, 0, 0.3] },
    ],
    [
      LABEL,
      { label: 'positive', probabilities: { positive: 1.0009 } },
      { text: 'positive', probabilities: [1.0009, 0, 0] },
    ],
    // the top of a pipeline, and all of it
    [
      LABEL,
      [
        { label: 'negative', score: 0.4 },
        { label: 'positive', score: 0.5 },
      ],
      { text: 'positive' },
    ],
    [
      LABEL,
      [
        { label: 'negative', score: 0.2 },
        { label: 'positive', score: 0.5 },
        { label: 'constructor', score: 0.3 },
      ],
      { text: 'positive', probabilities: [0.5, 0.2, 0.3] },
    ],
    [LABELS, ['b', 'a', 'b'], { text: '["a","b"]' }],
    [LABELS, { labels: [] }, { text: '[]' }],
    [SPAN, 'Paris', { text: 'Paris' }],
    [SPAN, { answer: 'Paris', score: 0.9, start: 3, end: 8 }, { text: 'Paris', span: [3, 8] }],
    [SPAN, { answer: '😀 a', start: 3 }, { text: '😀 a', span: [3, 6] }],
    [SPAN, { answer: '', start: 0, end: 0 }, { text: '', span: [0, 0] }],
    [SPAN, { answer: 'Paris', end: 8 }, { text: 'Paris' }],
    [SPAN, { answer: 'Paris', start: -1, end: 4 }, { text: 'Paris' }],
    [SPAN, { answer: 'Paris', start: 4, end: 3 }, { text: 'Paris' }],
    [SPAN, { answer: 'Paris', start: null }, { text: 'Paris' }],
    [SPAN, { answer: 'Paris', start: 2 ** 31 }, { text: 'Paris' }],
    [SPAN, '', { text: '' }],
    [TEXT, 'Bonjour', { text: 'Bonjour' }],
    [TEXT, { text: 'Bonjour' }, { text: 'Bonjour' }],
    [TEXT, { generated_text: 'Bonjour' }, { text: 'Bonjour' }],
    [NUMBER, -1.5, { text: '-1.5' }],
    [NUMBER, { value: 3 }, { text: '3' }],
    [NUMBER, -1e30, { text: '-1e+30' }],
  ])('reads for %j the form %j', (output, prediction, answer) => {
    expect(parseAnswer(output, prediction)).toEqual({ ok: true, answer });
  });

  it.each<[TaskOutput, unknown, string, string]>([
    [LABEL, 'Positive', 'unknown_label', '"Positive"'],
    [LABEL, 'toString', 'unknown_label', '"toString"'],
    [LABEL, { label: 'maybe' }, 'unknown_label', '"maybe"'],
    [LABEL, [{ label: 'LABEL_0', score: 1 }], 'unknown_label', '"LABEL_0"'],
    [LABEL, [], 'invalid_prediction', '[]'],
    [LABEL, null, 'invalid_prediction', 'null'],
    [LABEL, undefined, 'invalid_prediction', 'nothing'],
    [LABEL, 1, 'invalid_prediction', '1'],
    [LABEL, { prediction: 'positive' }, 'invalid_prediction', 'prediction'],
    [LABEL, { label: 'positive', probabilities: { positive: 0.5 } }, 'invalid_probabilities', '0.5'],
    [LABEL, { label: 'positive', probabilities: {} }, 'invalid_probabilities', 'sum to 0'],
    [LABEL, { label: 'positive', probabilities: { positive: 1.2, negative: -0.2 } }, 'invalid_probabilities', '1.2'],
    [LABEL, { label: 'positive', probabilities: { positive: 1, maybe: 0 } }, 'invalid_probabilities', '"maybe"'],
    [LABEL, { label: 'positive', probabilities: { positive: 'high' } }, 'invalid_probabilities', 'number'],
    [LABEL, { label: 'positive', probabilities: { positive: null } }, 'invalid_probabilities', 'number'],
    [LABEL, { label: 'positive', probabilities: [0.5, 0.5] }, 'invalid_probabilities', 'number'],
    [LABEL, { label: 'positive', probabilities: { positive: INFINITE } }, 'invalid_probabilities', 'not finite'],
    [LABEL, { label: 'positive', score: INFINITE }, 'invalid_probabilities', 'not finite'],
    [LABELS, ['a', 'c'], 'unknown_label', '"c"'],
    [LABELS, 'a', 'invalid_prediction', 'a list of labels'],
    [SPAN, { text: 'Paris' }, 'invalid_prediction', 'answer'],
    [SPAN, 4, 'invalid_prediction', '4'],
    [TEXT, { answer: 'x' }, 'invalid_prediction', 'generated_text'],
    [TEXT, ['x'], 'invalid_prediction', '["x"]'],
    [NUMBER, '3', 'invalid_prediction', 'finite number'],
    [NUMBER, INFINITE, 'invalid_prediction', 'finite number'],
    [NUMBER, { value: null }, 'invalid_prediction', 'finite number'],
    [NUMBER, 1e308, 'invalid_prediction', 'is 1e+308, which is too large to score: the limit is ±1e+30'],
    [NUMBER, { value: -1.01e30 }, 'invalid_prediction', 'too large to score'],
  ])('refuses for %j what is %j', (output, prediction, code, why) => {
    expect(parseAnswer(output, prediction)).toEqual({ ok: false, code, why: expect.stringContaining(why) });
  });

  it('quotes no more than the beginning of a long answer', () => {
    const outcome = parseAnswer(LABEL, 'x'.repeat(10_000));
    expect(outcome.ok ? '' : outcome.why.length).toBeLessThan(250);
  });

  it('answers whatever JSON comes, and never with a label that the task does not have', () => {
    fc.assert(
      fc.property(fc.constantFrom(LABEL, LABELS, SPAN, TEXT, NUMBER), fc.jsonValue(), (output, value) => {
        const outcome = parseAnswer(output, value);
        if (outcome.ok && output.type === 'label') expect(output.labels).toContain(outcome.answer.text);
        if (!outcome.ok) expect(outcome.why).not.toBe('');
      }),
    );
  });

  it('takes every distribution over the labels, in the order of the task', () => {
    const weights = fc.tuple(
      fc.integer({ min: 0, max: 1000 }),
      fc.integer({ min: 0, max: 1000 }),
      fc.integer({ min: 1, max: 1000 }),
    );
    fc.assert(
      fc.property(weights, fc.constantFrom(...LABEL.labels), (given, label) => {
        const sum = given.reduce((total, each) => total + each, 0);
        const shares = given.map((each) => each / sum);
        const probabilities = Object.fromEntries(LABEL.labels.map((name, index) => [name, shares[index]!]));

        expect(parseAnswer(LABEL, { label, probabilities })).toEqual({
          ok: true,
          answer: { text: label, probabilities: shares },
        });
        const list = LABEL.labels.map((name, index) => ({ label: name, score: shares[index]! }));
        const listed = parseAnswer(LABEL, list);
        expect(listed.ok && listed.answer.text).toBe(LABEL.labels[shares.indexOf(Math.max(...shares))]);
      }),
    );
  });
});

describe('predictionOf', () => {
  const PROTO = { name: 'label', type: 'label' as const, labels: ['a', '__proto__', 'b'] } satisfies TaskOutput;

  /** Returns the answer to a prediction, and the answer that its wire form is read back as. */
  function roundTrip(output: TaskOutput, prediction: unknown) {
    const parsed = parseAnswer(output, prediction);
    if (!parsed.ok) throw new Error(parsed.why);
    const sent = JSON.parse(JSON.stringify(predictionOf(output, parsed.answer))) as unknown;
    return { answer: parsed.answer, sent, read: parseAnswer(output, sent) };
  }

  it.each<[string, TaskOutput, unknown, unknown]>([
    ['a label', LABEL, { label: 'negative', score: 0.7 }, 'negative'],
    [
      'probabilities',
      LABEL,
      { label: 'negative', probabilities: { positive: 0.1 + 0.2, negative: 0.7 } },
      { label: 'negative', probabilities: { positive: 0.1 + 0.2, negative: 0.7, constructor: 0 } },
    ],
    [
      'a label that is not the most probable one',
      LABEL,
      { label: 'positive', probabilities: { negative: 0.9, positive: 0.1 } },
      { label: 'positive', probabilities: { positive: 0.1, negative: 0.9, constructor: 0 } },
    ],
    ['several labels', LABELS, { labels: ['b', 'a', 'b'] }, ['a', 'b']],
    ['no labels', LABELS, [], []],
    ['a span', SPAN, { answer: ' a "quoted" word\n' }, ' a "quoted" word\n'],
    ['a span with its place', SPAN, { answer: 'Paris', start: 3, end: 8 }, { answer: 'Paris', start: 3, end: 8 }],
    ['a text', TEXT, { generated_text: '' }, ''],
    ['a text like JSON', TEXT, '["a"]', '["a"]'],
    ['a number', NUMBER, { value: 0.1 + 0.2 }, 0.1 + 0.2],
    ['the largest number', NUMBER, 1e30, 1e30],
    ['the smallest number', NUMBER, 5e-324, 5e-324],
    ['minus zero', NUMBER, -0, 0],
  ])('is read back as the same answer: %s', (_, output, prediction, expected) => {
    const { answer, sent, read } = roundTrip(output, prediction);

    expect(sent).toEqual(expected);
    expect(read).toEqual({ ok: true, answer });
  });

  it('keeps the probability of a label named __proto__', () => {
    const given: unknown = JSON.parse(
      '{"label": "__proto__", "probabilities": {"__proto__": 0.75, "b": 0.25, "a": -0}}',
    );

    expect(roundTrip(PROTO, given)).toMatchObject({
      answer: { text: '__proto__', probabilities: [0, 0.75, 0.25] },
      read: { ok: true, answer: { text: '__proto__', probabilities: [0, 0.75, 0.25] } },
    });
    expect(roundTrip(PROTO, '__proto__').read).toEqual({ ok: true, answer: { text: '__proto__' } });
    expect(parseAnswer(PROTO, JSON.parse('{"label": "a", "probabilities": {"a": 1, "__proto__": "0"}}'))).toMatchObject(
      { ok: false, code: 'invalid_probabilities' },
    );
  });

  it('keeps every distribution exactly', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1e-3, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
        (weights) => {
          const sum = weights.reduce((total, weight) => total + weight, 0);
          const probabilities = Object.fromEntries(PROTO.labels.map((label, place) => [label, weights[place]! / sum]));
          const { answer, read } = roundTrip(PROTO, { label: 'b', probabilities });
          expect(read).toEqual({ ok: true, answer });
          expect(answer.probabilities).toEqual(weights.map((weight) => weight / sum));
        },
      ),
    );
  });
});
