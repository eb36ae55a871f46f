import type { JobMap } from '@assay/contracts/webhooks';
import type { LeaderboardPublisher } from '@assay/leaderboard/boards';
import { StaleBoardRepository } from '@assay/tasks/benchmarks';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DelayedError, type Job } from 'bullmq';
import { PublishProcessor } from './publish.processor.js';

describe('a board that is stale', () => {
  let now = 50_000;
  let takes: number;
  const publish = jest.fn<() => Promise<null>>();
  const moveToDelayed = jest.fn<Job['moveToDelayed']>();
  const em = { fork: () => em } as unknown as EntityManager;
  let processor: PublishProcessor;

  beforeEach(() => {
    jest.spyOn(StaleBoardRepository.prototype, 'isStale').mockResolvedValue(true);
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    jest.spyOn(Date, 'now').mockImplementation(() => 1_000_000 + now);
    publish.mockReset().mockImplementation(() => {
      now += takes;
      return Promise.resolve(null);
    });
    moveToDelayed.mockReset().mockResolvedValue();
    processor = new PublishProcessor(em, { publish } as unknown as LeaderboardPublisher);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const process = (taskId = 'sentiment') =>
    processor.process({ data: { taskId }, moveToDelayed } as unknown as Job<JobMap['publish']>, 'token');

  it('is published at once, again and again', async () => {
    takes = 900;
    await process();
    await process();

    expect(publish).toHaveBeenCalledTimes(2);
    expect(moveToDelayed).not.toHaveBeenCalled();
  });

  it('waits as long as the last publication took, where that was long', async () => {
    takes = 4000;
    await process();
    now += 1000;
    await expect(process()).rejects.toThrow(DelayedError);

    expect(publish).toHaveBeenCalledTimes(1);
    expect(moveToDelayed).toHaveBeenCalledWith(1_000_000 + now + 3000, 'token');

    now += 3000;
    await process();
    expect(publish).toHaveBeenCalledTimes(2);
  });

  it('waits for no other board, and also after a publication that failed', async () => {
    takes = 4000;
    publish.mockImplementationOnce(() => {
      now += takes;
      return Promise.reject(new Error('the connection was lost'));
    });
    await expect(process()).rejects.toThrow('the connection was lost');
    await expect(process()).rejects.toThrow(DelayedError);
    await process('toxicity');

    expect(publish).toHaveBeenCalledTimes(2);
  });
});
