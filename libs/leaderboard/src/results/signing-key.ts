import type { RetiredKeyMark, SigningKeyView } from '@assay/contracts/results';
import { DomainError } from '@assay/kernel';
import { inTransaction } from '@assay/persistence/queries';
import { defineEntity, type EntityManager, p } from '@mikro-orm/postgresql';

const SigningKeySchema = defineEntity({
  name: 'SigningKey',
  properties: {
    /** The first 16 hexadecimal digits of the sha256 of the public key (SPKI, DER). */
    keyId: p.string().length(16).primary(),
    /** SPKI, PEM. */
    publicKey: p.text(),
    /** When a worker first published it. */
    createdAt: p.datetime().defaultRaw('now()'),
    /** Null for the key that signs results now. */
    retiredAt: p.datetime().nullable(),
  },
});

/**
 * The public part of a key that signs results, or did so before it was retired. The private part is
 * in a file of the workers.
 */
export class SigningKey extends SigningKeySchema.class {}
SigningKeySchema.setClass(SigningKey);

export type PublishedKey = Pick<SigningKey, 'keyId' | 'publicKey' | 'retiredAt'>;

/** Returns the key that signed results at a time, if it is retired now. */
export type RetiredKeyAt = (at: Date | null) => RetiredKeyMark | undefined;

/** Makes `keys` the published keys. Other published keys are removed. */
export async function publishSigningKeys(em: EntityManager, keys: readonly PublishedKey[]): Promise<void> {
  await inTransaction(em, async (tx) => {
    await tx.nativeDelete(SigningKey, { keyId: { $nin: keys.map(({ keyId }) => keyId) } });
    await tx.upsertMany(SigningKey, [...keys]);
  });
}

/**
 * Returns the published keys as they are shown.
 * @throws DomainError `signing_unavailable` if no worker has published a key yet
 */
export async function signingKeyView(em: EntityManager): Promise<SigningKeyView> {
  const keys = await publishedKeys(em);
  const current = keys.find(({ retiredAt }) => retiredAt === null);
  if (!current)
    throw new DomainError(
      'unavailable',
      'signing_unavailable',
      'No key signs results yet, because no worker of this service has started. Try again when one runs.',
    );
  const { keyId, publicKey } = current;
  return {
    algorithm: 'Ed25519',
    keyId,
    publicKey,
    retired: keys.flatMap((key) =>
      key.retiredAt ? [{ keyId: key.keyId, publicKey: key.publicKey, retiredAt: key.retiredAt.toISOString() }] : [],
    ),
  };
}

/** Returns the function that gives the retired key of a time, from the published keys. */
export async function retiredKeys(em: EntityManager): Promise<RetiredKeyAt> {
  const keys = await publishedKeys(em);
  return (at) => {
    const key = at && keys.find(({ retiredAt }) => retiredAt && at < retiredAt);
    return key?.retiredAt ? { keyId: key.keyId, retiredAt: key.retiredAt.toISOString() } : undefined;
  };
}

/** Returns the published keys in the order in which they were retired, the current one last. */
const publishedKeys = (em: EntityManager): Promise<SigningKey[]> =>
  em.find(SigningKey, {}, { orderBy: { retiredAt: 'asc', keyId: 'asc' }, disableIdentityMap: true });
