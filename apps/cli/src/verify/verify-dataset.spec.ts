import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ResultBundle } from '@assay/contracts/results';
import { describe, expect, it } from '@jest/globals';
import { verifyDataset } from './verify-dataset.js';

const BYTES = Buffer.from('{"id": 1, "text": "t", "label": "positive"}\n');
const SALT = 'ab'.repeat(32);
const sha256 = (...parts: readonly Uint8Array[]): string =>
  createHash('sha256').update(Buffer.concat(parts)).digest('hex');
const PLAIN = sha256(BYTES);
const SALTED = `sha256-salted:${sha256(Buffer.from(SALT, 'hex'), BYTES)}`;
const EARLIER = `sha256-salted:${sha256(Buffer.from(SALT, 'hex'), Buffer.from(PLAIN, 'hex'))}`;

const scoredOn = (digests: { datasetDigest: string; commitment?: string; salt?: string }): ResultBundle =>
  ({
    evaluations: [
      { dataset: 'r1', perturbation: 'fairness' },
      { dataset: 'r1', ...digests },
    ],
  }) as ResultBundle;
const verified = (result: ResultBundle, bytes = BYTES, salt: string | null = null, name = 'r1') =>
  verifyDataset(result, name, Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), salt);

describe('the dataset of a result', () => {
  it.each([
    ['public from the start', { datasetDigest: PLAIN }, null],
    ['not public when it was signed', { datasetDigest: SALTED }, SALT],
    ['not public, and uploaded before there were salts', { datasetDigest: EARLIER }, SALT],
    ['published since', { datasetDigest: PLAIN, commitment: SALTED, salt: SALT }, null],
  ])('is the one whose bytes are given: %s', async (_, digests, salt) => {
    await verified(scoredOn(digests), BYTES, salt);
    const other = verified(scoredOn(digests), Buffer.from(`${BYTES.toString()} `), salt);
    await expect(other).rejects.toMatchObject({ code: 'other_data', exitCode: 8 });
  });

  it('needs the salt that was published, and no other', async () => {
    const result = scoredOn({ datasetDigest: SALTED });
    await expect(verified(result)).rejects.toMatchObject({ code: 'salt_needed' });
    await expect(verified(result, BYTES, 'cd'.repeat(32))).rejects.toMatchObject({ code: 'other_data' });
  });

  it('has a commitment that opens to the same bytes', async () => {
    const result = scoredOn({ datasetDigest: PLAIN, commitment: SALTED, salt: 'cd'.repeat(32) });
    await expect(verified(result)).rejects.toMatchObject({ code: 'other_data' });
  });

  it('is in the result', async () => {
    const result = scoredOn({ datasetDigest: PLAIN });
    await expect(verified(result, BYTES, null, 'r2')).rejects.toMatchObject({ code: 'dataset_absent' });
  });
});
