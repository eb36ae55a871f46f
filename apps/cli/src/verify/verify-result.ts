import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { SignedResult, signedBytes, SigningKeyView } from '@assay/contracts/results';
import { CommandFailure } from '../command-failure.js';

/**
 * Checks a signed result offline: its form, its signature, that the key has the ID that the result
 * names, and that the run specification has the digest that it claims.
 * @param trusted the public key that must have signed it, in PEM, or the response of `GET
 *   /signing-key`, which includes retired keys. Null accepts any key, which only proves that the
 *   result was not changed after signing.
 * @throws CommandFailure `not_a_result`, `unreadable_key`, `altered`, `other_key`
 */
export function verifyResult(text: string, trusted: string | null): SignedResult {
  const parsed = SignedResult.safeParse(jsonOf(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw unverified('not_a_result', `Not a signed result: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.`);
  }
  const signed = parsed.data;
  const { keyId, publicKey, value } = signed.signature;
  const key = keyOf(publicKey);
  if (keyIdOf(key) !== keyId)
    throw unverified('altered', `The public key in the file does not match its key ID ${keyId}.`);
  if (trusted !== null && !trustedKeys(trusted).some((each) => keyIdOf(each.key) === keyId)) {
    throw unverified('other_key', `The result is signed with the key ${keyId}, not with the key that you trust.`);
  }
  // verifies the raw JSON, not the parsed form: the signature covers fields that the schema drops
  const { result } = jsonOf(text) as { readonly result: unknown };
  if (!verify(null, signedBytes(result), key, Buffer.from(value, 'base64'))) {
    throw unverified('altered', 'The signature is not valid. The file has changed since it was signed.');
  }
  const { key: claimed, content } = signed.result.runSpecification;
  const digest = createHash('sha256').update(signedBytes(content)).digest('hex');
  if (digest !== claimed) throw unverified('altered', 'The run specification does not match its digest.');
  return signed;
}

/**
 * Returns when the key of the result was retired, according to the trusted keys. Null if it is
 * still in use or if they do not say.
 */
export function retirementOf({ signature }: SignedResult, trusted: string | null): string | null {
  const key = trusted === null ? undefined : trustedKeys(trusted).find(({ key }) => keyIdOf(key) === signature.keyId);
  return key?.retiredAt ?? null;
}

interface TrustedKey {
  readonly key: KeyObject;
  /** Null if the key is in use or its state is unknown. */
  readonly retiredAt: string | null;
}

function trustedKeys(text: string): readonly TrustedKey[] {
  if (!text.trimStart().startsWith('{')) return [{ key: keyOf(text), retiredAt: null }];
  const parsed = TrustedKeys.safeParse(jsonOf(text));
  if (!parsed.success)
    throw unverified(
      'unreadable_key',
      'The key file is neither a public key in PEM form nor a response of GET /signing-key.',
    );
  const { publicKey, retired } = parsed.data;
  return [
    { key: keyOf(publicKey), retiredAt: null },
    ...retired.map((each) => ({ key: keyOf(each.publicKey), retiredAt: each.retiredAt })),
  ];
}

const TrustedKeys = SigningKeyView.pick({ publicKey: true, retired: true });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unverified('not_a_result', `Not a signed result: invalid JSON (${(error as Error).message}).`);
  }
}

function keyOf(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    throw unverified('unreadable_key', 'The key is not a public key in PEM form.');
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw unverified('unreadable_key', `The key is of type ${key.asymmetricKeyType ?? 'unknown'}, not Ed25519.`);
}

const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);

export const unverified = (code: string, message: string): CommandFailure =>
  new CommandFailure('verificationFailed', code, message);
