import { Readable } from 'node:stream';
import { TaskDefinition } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { inputLines, inputsOf, readExample, sliceValues } from './example.js';

const taskOf = (output: object, inputs: object[] = [{ name: 'text', type: 'text' }], performance = 'accuracy') =>
  TaskDefinition.parse({ slug: 'task', name: 'Task', inputs, output, performance });
const LABEL = taskOf({ name: 'label', type: 'label', labels: ['a', 'b'] });
const SPAN = taskOf({ name: 'answer', type: 'span', of: 'text' }, undefined, 'squad_f1');

describe('readExample', () => {
  it('takes the id, else the uid, else the line, as a text', () => {
    const idOf = (more: object) => {
      const outcome = readExample(LABEL, { text: 't', label: 'a', ...more }, 12);
      return outcome.ok ? outcome.example.id : outcome.why;
    };
    expect([idOf({ id: 'x', uid: 'y' }), idOf({ uid: 7 }), idOf({}), idOf({ id: 0 })]).toEqual(['x', '7', '12', '0']);
    expect([idOf({ id: '' }), idOf({ id: [] })]).toEqual(Array(2).fill('"id" is neither a text nor a number'));
  });

  it('keeps every field, and reads every acceptable answer', () => {
    expect(readExample(LABEL, { text: 't', label: ['a', 'b'], tags: ['x'] }, 1)).toEqual({
      ok: true,
      example: { id: '1', gold: ['a', 'b'], fields: { text: 't', label: ['a', 'b'], tags: ['x'] } },
    });
    expect(readExample(SPAN, { text: 't', answer: [] }, 1)).toMatchObject({ example: { gold: [''] } });
    expect(readExample(SPAN, { text: 't', answer: 'one' }, 1)).toMatchObject({ example: { gold: ['one'] } });
    const labels = taskOf({ name: 'label', type: 'label', labels: ['constructor', 'b'] });
    expect(readExample(labels, { text: 't', label: 'constructor' }, 1).ok).toBe(true);
  });

  it.each([
    [null, 'is not a JSON object'],
    [[], 'is not a JSON object'],
    [{ label: 'a' }, '"text" is missing'],
    [{ text: null, label: 'a' }, '"text" is missing'],
    [{ text: 3, label: 'a' }, '"text" is not text'],
    [{ text: 't' }, '"label" is missing'],
    [{ text: 't', label: [] }, '"label" is an empty list'],
    [{ text: 't', label: 'A' }, '"label" is "A", which is not one of the labels a, b'],
    [{ text: 't', label: 1 }, '"label" is neither a text nor a list of texts'],
  ])('refuses %j', (record, why) => {
    expect(readExample(LABEL, record, 1)).toEqual({ ok: false, why });
  });

  it('checks images and numbers', () => {
    const image = taskOf(LABEL.output, [{ name: 'image', type: 'image' }]);
    const number = taskOf(LABEL.output, [{ name: 'age', type: 'number' }]);
    const png = { b64: 'aaaa', mediaType: 'image/png' };
    expect(readExample(image, { image: png, label: 'a' }, 1).ok).toBe(true);
    expect(readExample(image, { image: 'aaaa', label: 'a' }, 1).ok).toBe(false);
    expect(readExample(number, { age: 1, label: 'a' }, 1).ok).toBe(true);
    expect(readExample(number, { age: '1', label: 'a' }, 1).ok).toBe(false);
  });

  it('refuses gold that is too large to score', () => {
    const number = taskOf({ name: 'score', type: 'number' }, undefined, 'rmse');
    expect(readExample(number, { text: 't', score: -1e30 }, 1).ok).toBe(true);
    const why = '"score" is too large to score: the limit is ±1e+30';
    expect(readExample(number, { text: 't', score: 1e308 }, 1)).toEqual({ ok: false, why });
  });
});

describe('what is shown and sent of an example', () => {
  it('is its inputs alone, in the order of the task', () => {
    const task = taskOf(LABEL.output, [
      { name: 'b', type: 'text' },
      { name: 'a', type: 'text' },
    ]);
    expect(JSON.stringify(inputsOf(task, { a: '1', id: 'x', b: '2', label: 'a' }))).toBe('{"b":"2","a":"1"}');
  });

  it('is its id and its inputs where those are public', async () => {
    const stored = '{"text":"t","label":"a","tags":["x"],"id":"1"}\n{"text":"u","label":"b","id":"2"}\n';
    const lines = await Array.fromAsync(inputLines(LABEL, Readable.from([Buffer.from(stored)])));
    expect(lines).toEqual(['{"id":"1","text":"t"}\n', '{"id":"2","text":"u"}\n']);
  });
});

describe('sliceValues', () => {
  it.each([
    ['x', ['x']],
    [
      ['x', 'y', 'x'],
      ['x', 'y'],
    ],
    [[], []],
    ['', []],
    [null, []],
    [undefined, []],
    [{ a: 1 }, []],
    [3, ['3']],
    [[true, ''], ['true']],
    ['a\0b', ['a\uFFFDb']],
  ])('of %j are %j', (value, values) => {
    expect(sliceValues(value)).toEqual(values);
  });
});
