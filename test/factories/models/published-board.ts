import { LeaderboardPublisher } from '@assay/leaderboard/boards';
import { Task } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import type { ApiWorld } from '../worlds/api-world.js';

const publisher = new LeaderboardPublisher(new BenchmarksService());

/**
 * Publishes the board of a task, as the evaluator does, and waits until the API shows it: the API
 * learns of the commit a moment later.
 * @returns The revision; null if nothing has changed.
 */
export async function publishBoard(world: Pick<ApiWorld, 'orm' | 'call'>, slug: string): Promise<number | null> {
  const em = world.orm.em.fork();
  const { id } = await em.findOneOrFail(Task, { slug });
  const revision = await publisher.publish(em.fork(), id);
  const shown = async () => (await world.call('GET', `/tasks/${slug}/leaderboard?limit=1`)).body.revision as number;
  while (revision !== null && !((await shown()) >= revision));
  return revision;
}
