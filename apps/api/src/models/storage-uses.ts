import type { UserStorageView } from '@assay/contracts';
import { UserStorageService, withinRoom } from '@assay/submissions';
import { Injectable } from '@nestjs/common';
import { ArtifactReception } from './artifact-reception.service.js';

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

  /** What `work` gives, which keeps at most so many bytes for this user. @throws DomainError `storage_quota` */
  async within<T>(userId: string, work: (maxBytes: number | undefined) => Promise<T>): Promise<T> {
    const use = await this.storage.of(userId);
    const arriving = await this.reception.arriving(userId);
    return withinRoom(use, { arriving, most: Infinity }, (most) => work(most === Infinity ? undefined : most));
  }
}
