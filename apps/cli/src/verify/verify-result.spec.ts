import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type ResultBundle, signedBytes, type SignedResult } from '@assay/contracts';
import { describe, expect, it } from '@jest/globals';
import { retirementOf, verifyResult } from './verify-result.js';

const content = { artifact: 'a'.repeat(64), kind: 'onnx', command: null };
const result: ResultBundle = {
  format: 'assay-result/1',
  service: 'https://assay.example.org',
  task: { slug: 'nli', name: 'Natural language inference' },
  model: { id: '1', name: 'Große', owner: 'ada', kind: 'onnx' },
  runSpecification: { key: createHash('sha256').update(signedBytes(content)).digest('hex'), content },
  metricVersions: { accuracy: 1 },
  evaluations: [
    {
      dataset: 'round-1',
      version: 1,
      datasetDigest: 'd'.repeat(64),
      inputsDigest: 'e'.repeat(64),
      examples: 1000,
      invalid: 0,
      predictionsDigest: null,
      scoringKey: null,
      seed: 'd'.repeat(64),
      metrics: { accuracy: { value: 0.735, low: 0.7, high: 0.77 } },
      slices: {},
      measures: null,
      hardware: null,
      finishedAt: '2026-01-02T03:04:05.000Z',
    },
  ],
};

const keys = generateKeyPairSync('ed25519');
const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

function signed(value: unknown = result, { publicKey, privateKey } = keys): SignedResult {
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
  return {
    result: value as ResultBundle,
    signature: {
      algorithm: 'Ed25519',
      keyId,
      publicKey: pem(publicKey),
      value: sign(null, signedBytes(value), privateKey).toString('base64'),
    },
  };
}

const verified = (value: unknown, trusted: string | null = null) => verifyResult(JSON.stringify(value), trusted);

describe('a signed result', () => {
  it('holds, in whatever order its keys are written and however it is indented', () => {
    expect(verified(signed())).toEqual(signed());
    const { signature, result: given } = signed();
    const turned = Object.fromEntries(Object.entries(given).toReversed());
    expect(() => verifyResult(JSON.stringify({ signature, result: turned }, null, 4), null)).not.toThrow();
  });

  it('holds for the key that is trusted, and for no other', () => {
    expect(() => verified(signed(), pem(keys.publicKey))).not.toThrow();
    const other = generateKeyPairSync('ed25519');
    expect(() => verified(signed(), pem(other.publicKey))).toThrow(expect.objectContaining({ code: 'other_key' }));
  });

  it('holds for a key that was retired, and says since when', () => {
    const now = generateKeyPairSync('ed25519');
    const retiredAt = '2026-02-03T04:05:06.000Z';
    const retired = [{ keyId: '0'.repeat(16), publicKey: pem(keys.publicKey), retiredAt }];
    const trusted = JSON.stringify({ publicKey: pem(now.publicKey), retired });

    expect(retirementOf(verified(signed(), trusted), trusted)).toBe(retiredAt);
    expect(retirementOf(verified(signed(result, now), trusted), trusted)).toBeNull();
    expect(retirementOf(verified(signed(), pem(keys.publicKey)), pem(keys.publicKey))).toBeNull();
    const stranger = signed(result, generateKeyPairSync('ed25519'));
    expect(() => verified(stranger, trusted)).toThrow(expect.objectContaining({ code: 'other_key' }));
    expect(() => verified(signed(), '{}')).toThrow(expect.objectContaining({ code: 'unreadable_key' }));
  });

  it.each([
    ['a score', (it: SignedResult) => (it.result.evaluations[0]!.metrics['accuracy']!.value = 0.999)],
    ['a name', (it: SignedResult) => (it.result.model.name = 'Mine')],
    ['a key that nobody knows', (it: SignedResult) => ((it.result as Record<string, unknown>)['rank'] = 1)],
    ['the signature', (it: SignedResult) => (it.signature.value = Buffer.alloc(64).toString('base64'))],
    ['the key id', (it: SignedResult) => (it.signature.keyId = '0'.repeat(16))],
  ])('does not hold where %s was changed', (_, alter) => {
    const file = structuredClone(signed());
    alter(file);
    expect(() => verified(file)).toThrow(expect.objectContaining({ code: 'altered', exitCode: 8 }));
  });

  it('does not hold where it was signed with a run specification under a wrong digest', () => {
    const lying = { ...result, runSpecification: { key: '0'.repeat(64), content } };
    expect(() => verified(signed(lying))).toThrow(/does not have the digest/);
  });

  it.each([
    ['no JSON', '{', 'not_a_result'],
    ['another document', '{"a": 1}', 'not_a_result'],
    [
      'a key of another kind',
      JSON.stringify({
        ...signed(),
        signature: {
          ...signed().signature,
          publicKey: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey),
        },
      }),
      'unreadable_key',
    ],
  ])('is refused as %s', (_, text, code) => {
    expect(() => verifyResult(text, null)).toThrow(expect.objectContaining({ code }));
  });
});
