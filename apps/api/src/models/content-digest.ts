import { DomainError } from '@assay/kernel';

/**
 * Returns the sha256 in hexadecimal that `Content-Digest: sha-256=:base64:` announces (RFC 9530).
 * Undefined without the header.
 * @throws DomainError `bad_content_digest`
 */
export function contentDigest(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;

  const text = String(header);
  const value = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(text)?.[1];
  if (value !== undefined) return Buffer.from(value, 'base64').toString('hex');
  throw new DomainError('invalid', 'bad_content_digest', `Content-Digest must be sha-256=:<base64>:, not "${text}".`);
}
