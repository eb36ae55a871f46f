import type { StorageItems, UserStorageView } from '@assay/contracts';
import { lockUser } from '@assay/identity';
import { expectRoom, UserStorageService } from '@assay/submissions';
import type { DatasetRoom } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { ArtifactReception } from './artifact-reception.service.js';

/** Things that are listed one by one. */
const MOST_ITEMS = 200;

/** What users keep here, with what still arrives. */
@Injectable()
export class StorageUses {
  constructor(
    private readonly storage: UserStorageService,
    private readonly reception: ArtifactReception,
  ) {}

  /** @throws DomainError not found where there is no such account */
  async of(userId: string): Promise<UserStorageView> {
    return { ...(await this.storage.of(userId)), uploads: await this.reception.arriving(userId) };
  }

  /** What it is made of, the largest first. */
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

  /** What `work` gives, which keeps something for this user. @throws DomainError `storage_quota` */
  async within<T>(userId: string, work: (room: DatasetRoom) => Promise<T>): Promise<T> {
    const arrival = await this.reception.arrivals.open(userId);
    try {
      return await work({
        onBytes: (count) => arrival.add(count),
        expect: (em, owner) => this.expectKept(em, owner),
      });
    } finally {
      arrival.end();
    }
  }

  /** That what they keep by now fits: of what ends together each found room when it began. */
  private async expectKept(em: EntityManager, userId: string): Promise<void> {
    await lockUser(em, userId);
    expectRoom(await this.storage.of(userId, em), 0);
  }
}
