import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keyIdOf, pemOf, rotateSigningKey, signingKeys } from './signing-keys-file.js';

describe('the signing keys of an installation', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'assay-keys-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const earlierKey = () => join(home, 'signing-key.pem');
  const leaveEarlierKey = (): string => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    writeFileSync(earlierKey(), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    return pemOf(publicKey);
  };
  const current = async (): Promise<string> => keyIdOf(createPublicKey((await signingKeys(home)).current));

  it('begin with one, made once however many ask for it', async () => {
    const asked = await Promise.all([current(), current(), current()]);

    expect(new Set([...asked, await current()]).size).toBe(1);
    expect((await signingKeys(home)).retired).toEqual([]);
    expect(statSync(join(home, 'signing-keys.json')).mode & 0o777).toBe(0o600);
  });

  it('replace the one that an earlier version left, once, and remove its private part', async () => {
    const publicKey = leaveEarlierKey();
    const keyId = keyIdOf(createPublicKey(publicKey));

    const { retired } = await signingKeys(home);

    expect(retired).toEqual([{ keyId, publicKey, retiredAt: expect.any(String) }]);
    expect(existsSync(earlierKey())).toBe(false);
    expect(await current()).not.toBe(keyId);
    expect((await signingKeys(home)).retired).toEqual(retired);
  });

  it('have in mind what an earlier version that still runs has made meanwhile', async () => {
    leaveEarlierKey();
    const before = await current();
    const publicKey = leaveEarlierKey();

    const { retired } = await signingKeys(home);

    expect(retired).toMatchObject([{}, { publicKey }]);
    expect(await current()).toBe(before);
  });

  it('are replaced by an operator as often as they like', async () => {
    const first = await current();
    const { keyId: second, retired } = await rotateSigningKey(home, new Date('2026-02-03T04:05:06Z'));
    const third = await rotateSigningKey(home);

    expect(retired).toMatchObject({ keyId: first, retiredAt: '2026-02-03T04:05:06.000Z' });
    expect(third.retired.keyId).toBe(second);
    expect((await signingKeys(home)).retired.map(({ keyId }) => keyId)).toEqual([first, second]);
    expect(await current()).toBe(third.keyId);
    await expect(rotateSigningKey(join(home, 'none'))).rejects.toMatchObject({ code: 'no_service_here' });
  });
});
