import { describe, expect, it } from '@jest/globals';
import { answerScore } from './answer-score.js';
import { occlude } from './occlusion.js';

const WEIGHTS: Readonly<Record<string, number>> = { superb: 0.3, dull: -0.25, film: 0.05, premise: -0.1 };

/** A linear model over bags of words: its answer is the sum of the weights of its words. */
const linear = (inputs: readonly Readonly<Record<string, unknown>>[]): Promise<readonly number[]> =>
  Promise.resolve(
    inputs.map((input) =>
      Object.values(input)
        .flatMap(
          (text) =>
            String(text)
              .toLowerCase()
              .match(/\p{L}+/gu) ?? [],
        )
        .reduce((sum, word) => sum + (WEIGHTS[word] ?? 0), 0.5),
    ),
  );

const weightsOf = (tokens: readonly { token: string; weight: number }[]): [string, number][] =>
  tokens.map(({ token, weight }) => [token, Math.round(weight * 1e9) / 1e9]);

describe('occlusion', () => {
  it('finds the weights of a linear model', async () => {
    const input = { context: 'A dull premise,', text: 'but a superb film!' };
    const found = await occlude({ input, fields: ['context', 'text'], score: linear });

    expect(weightsOf(found['context']!)).toEqual([
      ['A', 0],
      ['dull', -0.25],
      ['premise', -0.1],
    ]);
    expect(weightsOf(found['text']!)).toEqual([
      ['but', 0],
      ['a', 0],
      ['superb', 0.3],
      ['film', 0.05],
    ]);
    for (const { token, start, end } of found['text']!) expect(input.text.slice(start, end)).toBe(token);
  });

  it('asks for everything at once, and leaves no gap', async () => {
    const asked: unknown[] = [];
    await occlude({
      input: { text: 'one two three', image: 'x' },
      fields: ['text'],
      score: (inputs) => {
        asked.push(...inputs.map(({ text }) => text));
        return linear(inputs);
      },
    });
    expect(asked).toEqual(['one two three', 'two three', 'one three', 'one two ']);
  });

  it('finds words where no spaces stand between them', async () => {
    const found = await occlude({ input: { text: '今天天气很好' }, fields: ['text'], score: linear });
    expect(found['text']!.length).toBeGreaterThan(1);
  });

  it('bounds how much is asked for: words of a long text are left out together', async () => {
    const text = Array.from({ length: 1_000 }, (_, index) => `w${index}`).join(' ');
    let asked = 0;
    const found = await occlude({
      input: { text },
      fields: ['text'],
      score: (inputs) => {
        asked += inputs.length;
        return linear(inputs);
      },
    });
    expect(asked).toBeLessThanOrEqual(401);
    expect(found['text']!.at(-1)!.end).toBe(text.length);
    expect(found['text']![0]!.token).toBe('w0 w1 w2');
  });

  it('has no words in an empty text', async () => {
    expect(await occlude({ input: { text: ' ' }, fields: ['text'], score: linear })).toEqual({ text: [] });
  });
});

describe('how much an answer speaks for a target', () => {
  it('is the probability of the label where there is one, else whether it is the same', () => {
    const score = answerScore({ name: 'label', type: 'label', labels: ['a', 'b'] }, 'b');
    expect(score({ answer: 'a', probabilities: [0.8, 0.2] })).toBe(0.2);
    expect(score({ answer: 'b' })).toBe(1);
    expect(score({ answer: 'a' })).toBe(0);
  });

  it('is the overlap of a span, and the distance of a number', () => {
    const span = answerScore({ name: 'answer', type: 'span', of: 'context' }, 'the blue house');
    expect(span({ answer: 'blue house' })).toBe(1);
    expect(span({ answer: 'house' })).toBeCloseTo(2 / 3);
    const number = answerScore({ name: 'score', type: 'number' }, '4');
    expect(number({ answer: '2.5' })).toBe(-1.5);
  });
});
