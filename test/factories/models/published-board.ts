import { type BoardResamples, LeaderboardPublisher } from '@assay/leaderboard/boards';
import { Task } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import type { ApiWorld } from '../worlds/api-world.js';

/**
 * Publishes the board of a task, as the evaluator does, and waits until the API shows it: the API
 * learns of the commit a moment later.
 * @param resamples needed to find possible copies
 * @returns The revision; null if nothing has changed.
 */
export async function publishBoard(
  world: Pick<ApiWorld, 'orm' | 'call'>,
  slug: string,
  resamples?: BoardResamples,
): Promise<number | null> {
  const em = world.orm.em.fork();
  const { id } = await em.findOneOrFail(Task, { slug });
  const publisher = new LeaderboardPublisher(new BenchmarksService(), resamples);
  const revision = await publisher.publish(em.fork(), id);
  const shown = async () => (await world.call('GET', `/tasks/${slug}/leaderboard?limit=1`)).body.revision as number;
  while (revision !== null && !((await shown()) >= revision));
  return revision;
}
