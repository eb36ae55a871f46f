import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { TaskDefinition } from '@assay/contracts/tasks';
import { LocalBlobStore } from '@assay/storage';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeDataset } from './dataset-intake.js';
import { type DatasetFormat, WRITTEN_LINE } from '../examples/dataset-records.js';

const TASK = TaskDefinition.parse({
  slug: 'task',
  name: 'Task',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['yes', 'no', 'constructor'] },
  performance: 'accuracy',
});
const NUMBERS = TaskDefinition.parse({ ...TASK, inputs: [...TASK.inputs, { name: 'age', type: 'number' }] });
const QUESTIONS = TaskDefinition.parse({
  ...TASK,
  loop: {},
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'question', type: 'text' },
  ],
  output: { name: 'answers', type: 'span', of: 'context' },
  performance: 'squad_f1',
});
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const paragraph = (id: string): object => ({
  context: 'so x1',
  qas: [{ id, question: 'what?', answers: [{ text: 'so' }, { text: 'so' }] }],
});
const article = (more: object = {}, id = 'a'): string => JSON.stringify({ paragraphs: [paragraph(id)], ...more });
const squad = (articles: readonly string[]): string => `{"data": [${articles.join(', ')}]}`;

describe('storeDataset', () => {
  let folder: string;
  let blobs: LocalBlobStore;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-intake-'));
    blobs = new LocalBlobStore(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const take = async (content: string | Buffer, format: DatasetFormat = 'jsonl', task = TASK) => {
    // in small pieces, as they come over a network
    const { intake } = await storeDataset(task, Readable.from(pieces(Buffer.from(content))), format, blobs);
    return intake;
  };
  const kept = async (digest: string) => text(blobs.open(digest));

  it('keeps every field, with the id, and counts the gold labels', async () => {
    const content = [
      '\uFEFF{"uid": 7, "text": "é", "label": "yes", "tags": ["x"]}',
      '',
      '{"text": "b", "label": "constructor"}\r',
      '{"text": "c", "label": ["yes", "no"]}',
    ].join('\n');
    const intake = await take(content);

    expect(intake).toMatchObject({ examples: 3, digest: createHash('sha256').update(content).digest('hex') });
    expect(intake.goldCounts).toEqual({ yes: 2, constructor: 1 });
    expect((await kept(intake.content)).split('\n').slice(0, 2)).toEqual([
      '{"uid":7,"text":"é","label":"yes","tags":["x"],"id":"7"}',
      '{"text":"b","label":"constructor","id":"3"}',
    ]);
  });

  it('counts the sets of gold labels where there are several, up to 1,000 of them', async () => {
    const labels = Array.from({ length: 11 }, (_, index) => `l${String(index).padStart(2, '0')}`);
    const several = { ...TASK, output: { name: 'label', type: 'labels' as const, labels } };
    const line = (gold: readonly string[], index: number) => JSON.stringify({ text: `t${index}`, label: gold });
    const counted = async (golds: readonly (readonly string[])[]) =>
      (await take(golds.map(line).join('\n'), 'jsonl', several)).goldCounts;
    expect(await counted([['l01', 'l00'], ['l02'], ['l00', 'l01']])).toEqual({ '["l00","l01"]': 2, '["l02"]': 1 });

    const sets = Array.from({ length: 1001 }, (_, set) => labels.filter((_, bit) => ((set + 1) >> bit) % 2 === 1));
    expect(Object.keys((await counted(sets.slice(0, 1000)))!)).toHaveLength(1000);
    expect(await counted(sets)).toEqual({});
  });

  it('tells corrected gold from other inputs', async () => {
    const before = await take('{"text": "a", "label": "yes"}');
    const corrected = await take('{"text": "a", "label": "no"}');
    const other = await take('{"text": "b", "label": "yes"}');

    expect(corrected.inputsDigest).toBe(before.inputsDigest);
    expect(corrected.digest).not.toBe(before.digest);
    expect(other.inputsDigest).not.toBe(before.inputsDigest);
  });

  it('reads numbers from a CSV file where the task has numbers', async () => {
    const intake = await take('text,age,label,note\n"a, b",4.5,yes,1\n', 'csv', NUMBERS);
    expect(JSON.parse(await kept(intake.content))).toEqual({
      text: 'a, b',
      age: 4.5,
      label: 'yes',
      note: '1',
      id: '2',
    });
  });

  it.each<[DatasetFormat, string, string]>([
    ['jsonl', 'Line 3: "label" is missing', '{"text": "a", "label": "yes"}\n\n{"text": "a"}'],
    [
      'jsonl',
      'Line 2: the id "1" already occurs',
      '{"id": 1, "text": "a", "label": "yes"}\n{"id": "1", "text": "b", "label": "no"}',
    ],
    ['jsonl', 'Line 1: is not valid JSON', '{"text": NaN}'],
    ['csv', 'Line 3: "label" is "perhaps"', 'text,label\na,yes\nb,perhaps\n'],
    ['csv', 'Line 2: is not valid CSV', 'text,label\na,yes,more\n'],
    [
      'jsonl',
      'Line 1: is nested too deeply: the limit is 32 levels',
      `{"text": "a", "label": "yes", "more": ${nested(100_000)}}`,
    ],
    ['jsonl', 'Line 2: has more than 50,000 values', `\n{"more": [${'[],'.repeat(30_000)}1]}`],
    [
      'jsonl',
      'Line 1: has a text with the character U+0000',
      '{"id": "a", "text": "x", "label": "yes", "b\\u0000": 1}',
    ],
    ['jsonl', 'Line 1: has a text with the character U+0000 or half', '{"text": "\\ud800", "label": "yes"}'],
    ['jsonl', 'Line 1: "id" has more than 200 characters', `{"id": "${'i'.repeat(201)}", "text": "x", "label": "yes"}`],
    ['jsonl', 'Line 1: has a field whose name has more', `{"text": "x", "label": "yes", "${'n'.repeat(201)}": 1}`],
    ['jsonl', 'Line 2: is longer than 16 MiB', `{"text": "x", "label": "yes"}\n"${'x'.repeat(16 * 2 ** 20)}`],
    ['csv', 'Line 2: has a text with the character U+0000', 'text,label,b\0\na,yes,1\n'],
    ['csv', 'Line 1: has 2002 columns', `text,label${',x'.repeat(2000)}\n`],
    ['csv', 'is not valid CSV: Max Record Size', `text,label\n"${'x'.repeat(4 * 2 ** 20)}",yes\n`],
    ['squad', 'is not a SQuAD file: data', '{"data": 1}'],
    ['squad', 'is not valid JSON', '['],
    ['squad', 'is not a SQuAD file: data.0.title', squad([article({ title: 1 })])],
    ['squad', 'is not a SQuAD file: data.1.paragraphs.0.context', squad([article(), article({ paragraphs: [{}] })])],
    ['squad', 'is not valid JSON', squad([article(), '{"paragraphs": [}'])],
    ['squad', 'its article 1 is larger than 16 MiB', squad([article({ more: 'x'.repeat(17 * 2 ** 20) })])],
    ['squad', 'its article 2 has more than 300,000 values', squad([article(), `{"a": [${'[],'.repeat(200_000)}`])],
    ['squad', 'Line 1: has more than 300,000 values', `{"more": [${'[],'.repeat(200_000)}`],
    ['squad', 'is nested too deeply: the limit is 32 levels', squad([`{"a": ${nested(40)}}`])],
    ['squad', 'is not valid JSON', squad([article()]).slice(0, -1)],
    ['squad', 'is not valid JSON', squad([`${article()}${article({}, 'b')}`])],
    ['squad', 'is not a SQuAD file: data', squad([article(), '""'])],
    ['squad', 'is not a SQuAD file: data', squad([article(), '""']).replace('data', 'd\\u0061ta')],
    ['squad', 'Line 1: has a text with the character U+0000', squad([article()]).replace('x1', '\\u0000')],
  ])('names in %s the line that is bad, and keeps nothing: %s', async (format, why, content) => {
    const before = readdirSync(folder, { recursive: true }).length;

    const task = format === 'squad' ? QUESTIONS : TASK;
    await expect(take(content, format, task)).rejects.toMatchObject({
      code: 'bad_line',
      message: expect.stringContaining(why),
    });
    expect(readdirSync(folder, { recursive: true })).toHaveLength(before);
  });

  it('keeps the questions of a SQuAD file, however its articles lie in the pieces that come', async () => {
    const more = {
      more: '{"data": [{}]}',
      list: [{ data: [1] }],
      paragraphs: [paragraph('a'), paragraph('b')],
      title: 'T',
    };
    const file = `{"version": "1", "no": [{"x": "\\"data\\": ["}], "data" : [${article(more)} ,\n ${article({}, 'c')}], "data2": [{}]}`;
    const intake = await take(file, 'squad', QUESTIONS);
    const [first, , last] = (await kept(intake.content)).split('\n');
    expect(intake).toMatchObject({ examples: 3, digest: createHash('sha256').update(file).digest('hex') });
    expect(JSON.parse(first!)).toEqual({
      id: 'a',
      context: 'so x1',
      question: 'what?',
      answers: ['so'],
      answer: ['so'],
      title: 'T',
    });
    expect(JSON.parse(last!)).toMatchObject({ id: 'c' });
  });

  it('keeps a line of a megabyte, and as deep as lines may be', async () => {
    const lines = [{ text: 'x'.repeat(2 ** 20), label: 'yes', more: JSON.parse(nested(31)) as unknown }];
    expect((await take(lines.map((line) => JSON.stringify(line)).join('\n'))).examples).toBe(1);
  });

  it('reads what the service has written itself in wider bounds', async () => {
    const line = Buffer.from(`{"text": "a", "label": "yes", "more": ${nested(40)}}`);
    const { intake } = await storeDataset(TASK, Readable.from([line]), 'jsonl', blobs, { bounds: WRITTEN_LINE });
    expect(intake.examples).toBe(1);
  });

  it('reads a number of a CSV file that is none as the text that it is', async () => {
    await expect(take('text,age,label\na,old,yes\n', 'csv', NUMBERS)).rejects.toThrow(
      'Line 2: "age" is not a finite number',
    );
  });

  it.each<[string, Buffer]>([
    ['in the middle', Buffer.from('{"text": "\xe9", "label": "yes"}', 'latin1')],
    ['at the end', Buffer.concat([Buffer.from('{"text": "a", "label": "yes"}\n'), Buffer.from([0xc3])])],
  ])('refuses what is not UTF-8 %s', async (_, content) => {
    await expect(take(content)).rejects.toMatchObject({ code: expect.stringMatching('not_utf8|bad_line') });
  });

  it('refuses an empty file, and passes on what cut the source off', async () => {
    await expect(take('\n \n')).rejects.toMatchObject({ code: 'empty_dataset' });
    const cut = new Readable({ read: () => undefined });
    setTimeout(() => cut.destroy(new Error('cut off')), 100);
    await expect(storeDataset(TASK, cut, 'jsonl', blobs)).rejects.toThrow('cut off');
  });
});

function* pieces(content: Buffer): Generator<Buffer> {
  const size = content.length < 2 ** 16 ? 7 : 2 ** 16;
  for (let start = 0; start < content.length; start += size) yield content.subarray(start, start + size);
}
