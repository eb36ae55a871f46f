import { describe, expect, it, jest } from '@jest/globals';
import { parseBody } from './json-body.js';

const body = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('parseBody', () => {
  it.each([
    ['here', 10],
    ['in a thread of its own', 200_000],
  ])('reads predictions %s', async (_, count) => {
    const predictions = Array.from({ length: count }, (_, index) => ({ label: `label ${index}` }));

    expect(await parseBody(body({ predictions }))).toEqual({ kind: 'predictions', predictions });
  });

  it.each([
    ['here', ''],
    ['in a thread of its own', ' '.repeat(2_000_000)],
  ])('says what is none %s', async (_, padding) => {
    expect(await parseBody(Buffer.from(`${padding}<html>`))).toMatchObject({ kind: 'not-json' });
    expect(await parseBody(Buffer.from(`${padding}{"outputs": []}`))).toEqual({ kind: 'no-predictions' });
    expect(await parseBody(Buffer.from(`${padding}null`))).toEqual({ kind: 'no-predictions' });
    expect(await parseBody(Buffer.from(`${padding}{"predictions": {"length": 1}}`))).toEqual({
      kind: 'no-predictions',
    });
  });

  it.each([
    ['here', ''],
    ['in a thread of its own', ' '.repeat(2_000_000)],
  ])('keeps numbers that are not finite as such %s', async (_, padding) => {
    expect(await parseBody(Buffer.from(`${padding}{"predictions": [{"a": 1e999, "b": -1e999}, null]}`))).toEqual({
      kind: 'predictions',
      predictions: [{ a: Infinity, b: -Infinity }, null],
    });
  });

  it.each([
    ['here', ''],
    ['in a thread of its own', ' '.repeat(2_000_000)],
  ])('refuses an object that has a key twice %s', async (_, padding) => {
    const parsed = (text: string) => parseBody(Buffer.from(`${padding}${text}`));
    expect(await parsed('{"predictions": ["a"], "predictions": ["b"]}')).toEqual({ kind: 'repeated-key' });
    expect(await parsed('{"predictions": [{"label": "a", "l\\u0061bel": "b"}]}')).toEqual({ kind: 'repeated-key' });
    expect(await parsed('{"predictions": [{"label": "a:\\":"}, {"label": "b", "__proto__": 1}]}')).toMatchObject({
      kind: 'predictions',
      predictions: { length: 2 },
    });
  });

  it('does not take a key for a prototype', async () => {
    expect(await parseBody(Buffer.from('{"__proto__": {"predictions": []}}'))).toEqual({ kind: 'no-predictions' });
  });

  it.each([
    ['here', ''],
    ['in a thread of its own', ' '.repeat(2_000_000)],
  ])('reads nothing that is deeper than it can be meant %s', async (_, padding) => {
    const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const deep = (depth: number) => Buffer.from(`${padding}{"predictions": [${lists(depth)}]}`);
    expect(await parseBody(deep(62))).toMatchObject({ kind: 'predictions' });
    expect(await parseBody(deep(63))).toEqual({ kind: 'too-deep' });
    expect(await parseBody(Buffer.from(`${padding}${'{"a":'.repeat(70)}`))).toEqual({ kind: 'too-deep' });
  });

  it('never keeps others waiting for more than a piece of a large body', async () => {
    const predictions = Array.from({ length: 100_000 }, (_, index) => ({ label: `${index}`, probabilities: { a: 1 } }));
    const large = body({ predictions });
    const parsed = new Map<number, number>();
    const read = JSON.parse;
    await whileTurnsPass(async (turn) => {
      const parse = jest.spyOn(JSON, 'parse').mockImplementation((text: string): unknown => {
        parsed.set(turn(), (parsed.get(turn()) ?? 0) + text.length);
        return read(text);
      });
      expect(await parseBody(large)).toMatchObject({ kind: 'predictions', predictions: { length: 100_000 } });
      parse.mockRestore();
    });

    const sizes = [...parsed.values()];
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(large.length / 2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(250_000);
  });

  it('lets others have their turn while it looks how deep a large body is', async () => {
    const deep = Buffer.from(`${' '.repeat(5_000_000)}${'['.repeat(70)}`);
    await whileTurnsPass(async (turn) => {
      expect(await parseBody(deep)).toEqual({ kind: 'too-deep' });
      expect(turn()).toBeGreaterThan(10);
    });
  });

  it('counts no bracket that stands in a text', async () => {
    const predictions = ['['.repeat(100), `"${'{'.repeat(100)}\\`, '\\"', '['.repeat(100)];

    expect(await parseBody(body({ predictions }))).toEqual({ kind: 'predictions', predictions });
  });
});

/** Counts the turns of the event loop meanwhile. */
async function whileTurnsPass(work: (turn: () => number) => Promise<void>): Promise<void> {
  let turns = 0;
  let timer = setImmediate(function pass() {
    turns++;
    timer = setImmediate(pass);
  });
  try {
    await work(() => turns);
  } finally {
    clearImmediate(timer);
  }
}
