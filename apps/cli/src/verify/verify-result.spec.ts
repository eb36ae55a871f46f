import { generateKeyPairSync } from 'node:crypto';
import type { SignedResult } from '@assay/contracts/results';
import { describe, expect, it } from '@jest/globals';
import { content, keys, pem, result, signed } from '../../../../test/factories/models/signed-results.js';
import { retirementOf, verifyResult } from './verify-result.js';

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
    expect(() => verified(signed(lying))).toThrow(/does not match its digest/);
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
