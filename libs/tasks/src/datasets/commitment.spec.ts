import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { commitmentTo, publishedDigest, publishedHash, saltedDigest } from './commitment.js';

const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest('hex');
const DIGEST = sha256(Buffer.from('the examples'));
const committed = { digest: DIGEST, ...commitmentTo(DIGEST) };
const { salt, commitment } = committed;

describe('the commitment to a dataset', () => {
  it('is the salted digest, under another salt each time', () => {
    expect(salt).toMatch(/^[0-9a-f]{64}$/);
    expect(commitment).toBe(sha256(Buffer.from(salt, 'hex'), Buffer.from(DIGEST, 'hex')));
    expect(commitmentTo(DIGEST).salt).not.toBe(salt);
  });

  it.each(['hidden', 'inputs'] as const)('is all that is published while the visibility is %s', (visibility) => {
    expect(publishedDigest(committed, visibility)).toEqual({ digest: `sha256-salted:${commitment}` });
    expect(publishedHash(committed, visibility, DIGEST)).toBe(`sha256-salted:${saltedDigest(salt, DIGEST)}`);
  });

  it('is published with its salt and the plain digest once the data is public', () => {
    expect(publishedDigest(committed, 'public')).toEqual({
      digest: DIGEST,
      plainDigest: `sha256:${DIGEST}`,
      commitment: `sha256-salted:${commitment}`,
      salt,
    });
    expect(publishedHash(committed, 'public', DIGEST)).toBe(DIGEST);
  });
});
