import type { DatasetRoom, Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/** Of values that are kept in a table: as long as they are as JSON. */
export const bytesOf = (...values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value) ?? ''), 0);

/** Counts what was put into the round for the owner of its task. The round is held until the end of the transaction. Throws where it does not fit. */
export async function countPut(
  em: EntityManager,
  round: Pick<Round, 'id'>,
  bytes: number,
  room: DatasetRoom | undefined,
): Promise<void> {
  if (bytes === 0) return;
  const [task] = await em.execute<{ owner: string }[]>(
    `update round set put_bytes = put_bytes + ? from task where round.id = ? and task.id = round.task_id
      returning task.owner_id as owner`,
    [bytes, round.id],
  );
  await room?.expect(em, task!.owner);
}
