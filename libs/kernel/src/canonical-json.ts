import canonicalize from 'canonicalize';

/**
 * Serialises `value` in the canonical form of RFC 8785 (JCS). Equal content gives equal text, so
 * the text can be hashed and signed.
 *
 * @throws TypeError if `value` has no JSON form
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text !== undefined) return text;
  throw new TypeError('only a JSON value has a canonical form');
}
