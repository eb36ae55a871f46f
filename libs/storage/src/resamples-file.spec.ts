import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LocalBlobStore } from './local-blob-store.js';
import { decodeResamples, encodeResamples, readResamples, storeResamples } from './resamples-file.js';

describe('the file of resamples', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-resamples-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('gives back every value of every metric, whatever its name and length', () => {
    const resamples = {
      accuracy: Float32Array.from({ length: 1000 }, (_, draw) => Math.fround(draw / 999)),
      'worst:tags ü\n"': Float32Array.of(0.25, -0, Number.NaN, Infinity),
      empty: new Float32Array(0),
    };

    expect(decodeResamples(encodeResamples(resamples))).toEqual(resamples);
    expect(decodeResamples(encodeResamples({}))).toEqual({});
  });

  it('takes a part of a larger array as that part', () => {
    const whole = Float32Array.of(1, 2, 3, 4);
    expect(decodeResamples(encodeResamples({ accuracy: whole.subarray(1, 3) }))).toEqual({
      accuracy: Float32Array.of(2, 3),
    });
  });

  it('is the same bytes for the same values, in whichever order the metrics come', () => {
    const one = Float32Array.of(1, 2);
    const other = Float32Array.of(3);
    expect(encodeResamples({ a: one, b: other })).toEqual(encodeResamples({ b: other, a: one }));
  });

  it('writes float32, little-endian, behind one line of JSON', () => {
    const bytes = encodeResamples({ accuracy: Float32Array.of(0.5) });
    const line = '{"format":"assay-resamples-1","columns":[{"name":"accuracy","length":1}]}\n';
    expect(bytes.subarray(0, line.length).toString()).toBe(line);
    expect([...bytes.subarray(line.length)]).toEqual([0, 0, 0, 0x3f]);
  });

  it.each([
    ['cut', encodeResamples({ accuracy: Float32Array.of(1, 2) }).subarray(0, -1)],
    ['longer than announced', Buffer.concat([encodeResamples({ accuracy: Float32Array.of(1) }), Buffer.from([0])])],
    ['something else', Buffer.from('PAR1')],
    ['empty', Buffer.alloc(0)],
  ])('refuses a file that is %s', (_, bytes) => {
    expect(() => decodeResamples(bytes)).toThrow(expect.objectContaining({ code: 'resamples_unreadable' }));
  });

  it('lies in the blob store by its digest', async () => {
    const blobs = new LocalBlobStore(join(folder, 'blobs'));
    const resamples = { accuracy: Float32Array.of(0.5, 0.75) };

    const digest = await storeResamples(blobs, resamples);

    expect(await readResamples(blobs, digest)).toEqual(resamples);
    expect(await storeResamples(blobs, resamples)).toBe(digest);
    await expect(readResamples(blobs, 'f'.repeat(64))).rejects.toMatchObject({ code: 'blob_missing' });
  });
});
