import { createHash, randomBytes } from 'node:crypto';
import type { Visibility } from '@assay/contracts/datasets';
import type { PublishedDigest } from '@assay/contracts/results';

/**
 * The commitment to the bytes of a dataset version that is not public: sha256(salt ‖ bytes) and the
 * salt, both in hexadecimal.
 */
export interface Commitment {
  readonly salt: string;
  readonly commitment: string;
}

interface Committed extends Commitment {
  readonly digest: string;
}

const SALT_BYTES = 32;

export const newSalt = (): string => randomBytes(SALT_BYTES).toString('hex');

/**
 * Returns sha256(salt ‖ the 32 bytes of the digest), a commitment to content that is known only by
 * its digest. All values are in hexadecimal.
 */
export const saltedDigest = (salt: string, digest: string): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(Buffer.from(digest, 'hex')).digest('hex');

/** Returns a commitment, with a new salt, to bytes that are known only by their digest. */
export function commitmentTo(digest: string): Commitment {
  const salt = newSalt();
  return { salt, commitment: saltedDigest(salt, digest) };
}

/**
 * Returns the public form of a dataset version's digest. For public data it includes the values
 * that open the commitment.
 */
export function publishedDigest({ digest, salt, commitment }: Committed, visibility: Visibility): PublishedDigest {
  const salted = `${SALTED}${commitment}`;
  if (visibility !== 'public') return { digest: salted };
  return { digest, plainDigest: `sha256:${digest}`, commitment: salted, salt };
}

/**
 * Returns the public form of another hash of a dataset version's content: salted with the version's
 * salt unless the data is public, because a plain hash could reveal the content.
 */
export const publishedHash = ({ salt }: Pick<Commitment, 'salt'>, visibility: Visibility, hash: string): string =>
  visibility === 'public' ? hash : `${SALTED}${saltedDigest(salt, hash)}`;

const SALTED = 'sha256-salted:';
