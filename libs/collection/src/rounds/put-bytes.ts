import type { DatasetRoom, Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RoundRepository } from './round.repository.js';

/** Returns the size in bytes of values stored in a table, measured as JSON. */
export const bytesOf = (...values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value) ?? ''), 0);

/**
 * Adds bytes to the round's storage usage, which counts towards the quota of the task's owner.
 * Locks the round until the transaction ends. Throws the errors of `room` if the quota is exceeded.
 */
export async function countPut(
  em: EntityManager,
  round: Pick<Round, 'id'>,
  bytes: number,
  room: DatasetRoom | undefined,
): Promise<void> {
  if (bytes === 0) return;
  const owner = await new RoundRepository(em).addBytes(round.id, bytes);
  await room?.expect(em, owner);
}
