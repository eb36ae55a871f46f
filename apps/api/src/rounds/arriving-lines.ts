import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Principal } from '@assay/identity';
import { namelessFile } from '@assay/storage';
import type { Round } from '@assay/tasks';
import type { DatasetRoom } from '@assay/tasks/datasets';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ConcurrencyLimiter } from '../limits/concurrency-limiter.js';
import { Environment } from '../environment.js';
import { StorageUses } from '../models/storage-uses.js';
import { bodyOf } from '../bodies/streamed-bodies.js';

/** The maximum number of concurrent uploads of one user. */
const MOST_AT_ONCE = 2;

/**
 * Receives lines for rounds. All lines are on disk before any is read, so that a slow client does
 * not hold a database connection.
 */
@Injectable()
export class ArrivingLines {
  private readonly limiter = new ConcurrencyLimiter({ each: MOST_AT_ONCE, what: 'uploads to rounds' });
  private readonly folder: string;

  constructor(
    private readonly environment: Environment,
    private readonly storage: StorageUses,
  ) {
    this.folder = join(environment.home, 'arriving');
  }

  /**
   * Passes the lines in the body of a request to `take`, and returns its result. The lines count
   * towards the storage of the task's owner.
   * @throws RefusedForNow `too_many_at_once`
   * @throws DomainError `storage_full`, `storage_quota`
   */
  async of<T>(
    { userId }: Principal,
    { task }: Round,
    request: FastifyRequest,
    take: (lines: Readable, room: DatasetRoom) => Promise<T>,
  ): Promise<T> {
    return this.limiter.during(userId, async () => {
      const content = await this.received(request);
      try {
        return await this.storage.within(task.owner.id, (room) => take(content, room));
      } finally {
        content.destroy();
      }
    });
  }

  private async received(request: FastifyRequest): Promise<Readable> {
    const body = bodyOf(request, this.environment.fileSizes.lines);
    const { content } = await namelessFile(this.folder, async (write) => {
      for await (const chunk of body) await write(chunk as Buffer);
    });
    return content;
  }
}
