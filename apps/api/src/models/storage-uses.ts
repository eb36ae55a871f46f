import type { StorageItems, UserStorageView } from '@assay/contracts/operations';
import { UserRepository } from '@assay/identity';
import { expectRoom, UserStorageService } from '@assay/submissions/artifacts';
import type { DatasetRoom } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ArtifactReception } from './artifact-reception.service.js';

/** The maximum number of items that are listed. */
const MOST_ITEMS = 200;

/** Computes the storage that users use, including bytes that are arriving. */
@Injectable()
export class StorageUses {
  constructor(
    private readonly storage: UserStorageService,
    private readonly reception: ArtifactReception,
  ) {}

  /** @throws DomainError `not_found` if there is no such account */
  async of(userId: string): Promise<UserStorageView> {
    return { ...(await this.storage.of(userId)), uploads: await this.reception.arriving(userId) };
  }

  /** Returns the items in a user's storage, largest first. */
  async items(userId: string): Promise<StorageItems> {
    const uploads = (await this.reception.underWay(userId)).map(({ model, bytes }) => ({
      kind: 'upload' as const,
      bytes,
      of: [{ task: model.task.slug, name: model.name, model: model.id }],
    }));
    const things = [...(await this.storage.things(userId)), ...uploads];
    const items = things.sort((one, other) => other.bytes - one.bytes).map((each) => ({ ...each, of: [...each.of] }));
    return { items: items.slice(0, MOST_ITEMS), more: Math.max(0, items.length - MOST_ITEMS) };
  }

  /**
   * Runs `work`, which stores something for this user, and returns its result.
   * @throws DomainError `storage_quota`
   */
  async within<T>(userId: string, work: (room: DatasetRoom) => Promise<T>): Promise<T> {
    const arrival = await this.reception.arrivals.open(userId);
    try {
      return await work({
        onBytes: (count) => arrival.add(count),
        expect: (em, owner) => this.expectStored(em, owner),
      });
    } finally {
      arrival.end();
    }
  }

  /**
   * Requires that what the user stores by now fits: of several arrivals that end together, each had
   * room when it began. Locks the user.
   * @throws DomainError `storage_quota`
   */
  private async expectStored(em: EntityManager, userId: string): Promise<void> {
    await new UserRepository(em).lock(userId);
    expectRoom(await this.storage.of(userId, em), 0);
  }
}
