import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonOutline } from './json-outline.js';

const folder = mkdtempSync(join(tmpdir(), 'json-outline-'));
const path = join(folder, 'file.json');
afterAll(() => rmSync(folder, { recursive: true }));

const outlined = (text: string | Buffer) => {
  writeFileSync(path, text);
  return jsonOutline(path);
};

it('tells what the members of an object are', async () => {
  const { kind, members } = await outlined(' {"a": {"b": 1}, "c": [[], {}], "d": "}\\"", "e": -1.5e3, "f": null}\n');

  expect(kind).toBe('object');
  expect([...members]).toEqual([
    ['a', 'object'],
    ['c', 'array'],
    ['d', 'text'],
    ['e', 'other'],
    ['f', 'other'],
  ]);
});

it('takes what a parser takes, and refuses what it refuses', async () => {
  const damage = fc.tuple(
    fc.nat(),
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', ' ', '1', 'e', '.', '-', 't', 'n', '\n'),
  );
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 5 }), fc.option(damage), async (json, change) => {
      const at = change === null ? 0 : change[0] % json.length;
      const text = change === null ? json : `${json.slice(0, at)}${change[1]}${json.slice(at + 1)}`;
      // what follows a backslash is left to the tokenizer that reads it
      if (change !== null && text.includes('\\')) return;
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      const found = await outlined(text).then(
        () => true,
        (error: unknown) => !(error instanceof SyntaxError),
      );
      expect([text, found]).toEqual([text, isJson]);
    }),
  );
});

it('refuses what nests too deep, however long, in little memory', async () => {
  const brackets = Buffer.alloc(50_000_000, '[');
  const before = process.memoryUsage().heapUsed;

  await expect(outlined(brackets)).rejects.toThrow('nested too deeply at byte 101 (limit: 100 levels)');
  const wide = Buffer.concat([Buffer.from('[{}'), Buffer.alloc(6_000_000, ',{}'), Buffer.from(']')]);
  expect((await outlined(wide)).kind).toBe('array');
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(256 * 2 ** 20);
});
