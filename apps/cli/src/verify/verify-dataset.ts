import { createHash } from 'node:crypto';
import type { ResultBundle } from '@assay/contracts/results';
import { unverified } from './verify-result.js';

const SALTED = 'sha256-salted:';

/**
 * Checks that a result was scored on exactly these bytes of a dataset, as they were uploaded.
 * @param salt the salt of the commitment as published later, in hexadecimal. Null if the result
 *   contains it, or if the data was public from the start.
 * @throws CommandFailure `dataset_absent`, `salt_needed`, `other_data`
 */
export async function verifyDataset(
  { evaluations }: ResultBundle,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  salt: string | null,
): Promise<void> {
  const evaluation = evaluations.find(({ dataset, perturbation }) => dataset === name && perturbation === undefined);
  if (!evaluation) throw unverified('dataset_absent', `The result has no dataset "${name}".`);
  const { datasetDigest, commitment } = evaluation;
  const known = salt ?? evaluation.salt;
  if (datasetDigest.startsWith(SALTED) && known === undefined) {
    const why = `"${name}" was not public when the result was signed.`;
    throw unverified('salt_needed', `${why} Give the salt that was published with it later: --salt ${name}=HEX.`);
  }
  const digests = await digestsOf(bytes, known ?? '');
  for (const digest of [datasetDigest, commitment ?? datasetDigest]) {
    if (!digests.includes(digest))
      throw unverified('other_data', `The file differs from the dataset "${name}" that the result was scored on.`);
  }
}

/** Returns the digests and commitments under which these bytes can appear in a result. */
async function digestsOf(bytes: AsyncIterable<Uint8Array>, salt: string): Promise<readonly string[]> {
  const salted = () => createHash('sha256').update(Buffer.from(salt, 'hex'));
  const [plain, committed] = [createHash('sha256'), salted()];
  for await (const chunk of bytes) {
    plain.update(chunk);
    committed.update(chunk);
  }
  const digest = plain.digest();
  // for data that was uploaded before salts existed, the commitment is over the digest
  const ofDigest = salted().update(digest).digest('hex');
  return [digest.toString('hex'), `${SALTED}${committed.digest('hex')}`, `${SALTED}${ofDigest}`];
}
