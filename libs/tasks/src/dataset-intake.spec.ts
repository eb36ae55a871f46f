import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TaskDefinition } from '@assay/contracts';
import { LocalBlobStore } from '@assay/storage';
import { takeDataset } from './dataset-intake.js';
import type { DatasetFormat } from './dataset-records.js';

const TASK = TaskDefinition.parse({
  slug: 'task',
  name: 'Task',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['yes', 'no', 'constructor'] },
  performance: 'accuracy',
});
const NUMBERS = TaskDefinition.parse({ ...TASK, inputs: [...TASK.inputs, { name: 'age', type: 'number' }] });

describe('takeDataset', () => {
  let folder: string;
  let blobs: LocalBlobStore;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-intake-'));
    blobs = new LocalBlobStore(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const take = (content: string | Buffer, format: DatasetFormat = 'jsonl', task = TASK) =>
    // in small pieces, as they come over a network
    takeDataset(task, Readable.from(pieces(Buffer.from(content))), format, blobs);
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
    ['jsonl', '{"text": "a", "label": "yes"}\n\n{"text": "a"}', 'Line 3: "label" is missing'],
    [
      'jsonl',
      '{"id": 1, "text": "a", "label": "yes"}\n{"id": "1", "text": "b", "label": "no"}',
      'Line 2: the id "1" stands',
    ],
    ['jsonl', '{"text": NaN}', 'Line 1: is no JSON'],
    ['csv', 'text,label\na,yes\nb,perhaps\n', 'Line 3: "label" is "perhaps"'],
    ['csv', 'text,label\na,yes,more\n', 'Line 2: is no CSV'],
    ['squad', '{"data": 1}', 'is no SQuAD file: data'],
    ['squad', '[', 'is no JSON'],
  ])('names in %s the line that is bad, and keeps nothing: %j', async (format, content, why) => {
    const before = readdirSync(folder, { recursive: true }).length;

    await expect(take(content, format)).rejects.toMatchObject({
      code: 'bad_line',
      message: expect.stringContaining(why),
    });
    expect(readdirSync(folder, { recursive: true })).toHaveLength(before);
  });

  it('reads a number of a CSV file that is none as the text that it is', async () => {
    await expect(take('text,age,label\na,old,yes\n', 'csv', NUMBERS)).rejects.toThrow(
      'Line 2: "age" is no finite number',
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
    await expect(takeDataset(TASK, cut, 'jsonl', blobs)).rejects.toThrow('cut off');
  });
});

function* pieces(content: Buffer): Generator<Buffer> {
  for (let start = 0; start < content.length; start += 7) yield content.subarray(start, start + 7);
}
