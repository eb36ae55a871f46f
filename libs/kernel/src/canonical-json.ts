import canonicalize from 'canonicalize';

/** `value` in the one form that RFC 8785 (JCS) defines: the same content, the same text, so that it can be hashed and signed. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text !== undefined) return text;
  throw new TypeError('only a JSON value has a canonical form');
}
