import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainError } from '@assay/kernel';
import { storedSecret } from '@assay/storage';
import { z } from 'zod';

/** A key that signed results and does so no more. */
export interface RetiredKey {
  readonly keyId: string;
  /** SPKI, PEM. */
  readonly publicKey: string;
  readonly retiredAt: string;
}

export interface SigningKeys {
  readonly current: KeyObject;
  /** In the order in which they were retired. */
  readonly retired: readonly RetiredKey[];
}

const StoredKeys = z.strictObject({
  /** PKCS #8, PEM. */
  current: z.string(),
  retired: z.array(z.strictObject({ publicKey: z.string(), retiredAt: z.iso.datetime() })),
});
type StoredKeys = z.infer<typeof StoredKeys>;

export const SIGNING_KEYS_FILE = 'signing-keys.json';

/**
 * The file of the key in versions that could not retire keys. Evaluators ran submitted code next to
 * this file, so a key in it is retired.
 */
const EARLIER_FILE = 'signing-key.pem';

/**
 * Returns the keys of the installation in `home` (`signing-keys.json`, mode 600), and creates them
 * at first use. A key that an earlier version left is retired: its public part is stored, and its
 * private part is removed.
 */
export async function signingKeys(home: string): Promise<SigningKeys> {
  const { current, retired } = await storedKeys(home);
  return {
    current: createPrivateKey(current),
    retired: retired.map(({ publicKey, retiredAt }) => ({
      keyId: keyIdOf(createPublicKey(publicKey)),
      publicKey,
      retiredAt,
    })),
  };
}

export interface RotatedKey {
  /** The ID of the new key. */
  readonly keyId: string;
  readonly retired: RetiredKey;
}

/**
 * Retires the signing key and creates another. Running processes use the new key from their next
 * result on.
 * @throws DomainError `no_service_here`
 */
export async function rotateSigningKey(home: string, now = new Date()): Promise<RotatedKey> {
  if (!existsSync(home))
    throw new DomainError(
      'unavailable',
      'no_service_here',
      `No service found in ${home}. Set ASSAY_HOME to the folder of the service.`,
    );
  const { current, retired } = await storedKeys(home);
  await store(home, newKeys([...retired, retiredKey(current, now)]));
  const keys = await signingKeys(home);
  return { keyId: keyIdOf(createPublicKey(keys.current)), retired: keys.retired.at(-1)! };
}

/**
 * Returns the ID of a key: the first 16 hexadecimal digits of the sha256 of the public key (SPKI,
 * DER).
 */
export const keyIdOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);

export const pemOf = (publicKey: KeyObject): string => publicKey.export({ type: 'spki', format: 'pem' }).toString();

async function storedKeys(home: string): Promise<StoredKeys> {
  const made = await storedSecret(join(home, SIGNING_KEYS_FILE), () => JSON.stringify(newKeys([])));
  const keys = StoredKeys.parse(JSON.parse(made));
  const earlierPath = join(home, EARLIER_FILE);
  const earlier = await readFile(earlierPath, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (earlier === null) return keys;

  const retired = retiredKey(earlier, new Date());
  const isListed = keys.retired.some(({ publicKey }) => publicKey === retired.publicKey);
  const complete = isListed ? keys : { ...keys, retired: [...keys.retired, retired] };
  await store(home, complete);
  await rm(earlierPath, { force: true });
  return complete;
}

async function store(home: string, keys: StoredKeys): Promise<void> {
  const path = join(home, SIGNING_KEYS_FILE);
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, JSON.stringify(keys), { mode: 0o600, flag: 'wx' });
  await rename(written, path);
}

function newKeys(retired: StoredKeys['retired']): StoredKeys {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { current: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), retired };
}

const retiredKey = (privateKey: string, at: Date): StoredKeys['retired'][number] => ({
  publicKey: pemOf(createPublicKey(createPrivateKey(privateKey))),
  retiredAt: at.toISOString(),
});
