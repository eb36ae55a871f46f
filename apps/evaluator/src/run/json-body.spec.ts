import { describe, expect, it } from '@jest/globals';
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

  it('counts no bracket that stands in a text', async () => {
    const predictions = ['['.repeat(100), `"${'{'.repeat(100)}\\`, '\\"', '['.repeat(100)];

    expect(await parseBody(body({ predictions }))).toEqual({ kind: 'predictions', predictions });
  });
});
