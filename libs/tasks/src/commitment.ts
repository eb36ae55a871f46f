import { createHash, randomBytes } from 'node:crypto';
import type { PublishedDigest, Visibility } from '@assay/contracts';

/** The commitment to the bytes of a dataset version that is not public: sha256(salt ‖ bytes), and the salt, in hexadecimal. */
export interface Commitment {
  readonly salt: string;
  readonly commitment: string;
}

interface Committed extends Commitment {
  readonly digest: string;
}

const SALT_BYTES = 32;

export const newSalt = (): string => randomBytes(SALT_BYTES).toString('hex');

/** sha256(salt ‖ digest), of the 32 bytes of the digest: a commitment to what is known by its digest alone. All in hexadecimal. */
export const saltedDigest = (salt: string, digest: string): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(Buffer.from(digest, 'hex')).digest('hex');

/** A commitment, under a salt of its own, to bytes that are known by their digest alone. */
export function commitmentTo(digest: string): Commitment {
  const salt = newSalt();
  return { salt, commitment: saltedDigest(salt, digest) };
}

/** The digest of a dataset version as everybody may know it. Public data also has what opens its commitment. */
export function publishedDigest({ digest, salt, commitment }: Committed, visibility: Visibility): PublishedDigest {
  const salted = `${SALTED}${commitment}`;
  if (visibility !== 'public') return { digest: salted };
  return { digest, plainDigest: `sha256:${digest}`, commitment: salted, salt };
}

/** Another digest that tells of the content of a dataset version, as everybody may know it: salted with the version's salt unless it is public. */
export const publishedHash = ({ salt }: Pick<Commitment, 'salt'>, visibility: Visibility, hash: string): string =>
  visibility === 'public' ? hash : `${SALTED}${saltedDigest(salt, hash)}`;

const SALTED = 'sha256-salted:';
