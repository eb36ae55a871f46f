import { failure, type FailureCode, type TaskLimits } from '@assay/contracts';
import { failRun, recordAdmission, recordRefusal, type RunLease } from '@assay/evaluation';
import { DomainError } from '@assay/kernel';
import { type AdmittedImage, unpackedBeyond, type UserStorageService } from '@assay/submissions';

/** The storage of the owners of submissions. */
export type OwnersStorage = Pick<UserStorageService, 'roomFor' | 'expectRoomFor'>;

/** For tests of other things: every owner has room for everything. */
const UNLIMITED: OwnersStorage = {
  roomFor: () => Promise.resolve(Infinity),
  expectRoomFor: () => Promise.resolve(),
};

/**
 * The size that an artifact may unpack to: at most what its task allows and what its owner's storage has left. So a few
 * compressed bytes never take more of the disk than they count for.
 */
export class UnpackedLimit {
  private constructor(
    readonly bytes: number,
    private readonly room: number,
    private readonly lease: RunLease,
    private readonly storage: OwnersStorage,
  ) {}

  static async of(
    lease: RunLease,
    { unpacked }: Pick<TaskLimits, 'unpacked'>,
    storage: OwnersStorage = UNLIMITED,
  ): Promise<UnpackedLimit> {
    const room = Math.max(0, await storage.roomFor(lease.scope.specification));
    return new UnpackedLimit(Math.min(unpacked, room), room < unpacked ? room : Infinity, lease, storage);
  }

  /** Records why the artifact is turned away. One that lacks room stays as it was: its owner may make room, or have more. */
  async refuse(code: FailureCode, message: string): Promise<void> {
    if (code === 'unpacked_too_large' && this.room < Infinity) {
      return failRun(this.lease, failure('storage_quota', unpackedBeyond(this.room)));
    }
    return recordRefusal(this.lease, failure(code, message));
  }

  /** Records that the artifact may run, unless its owner's storage was filled meanwhile. @returns whether it may */
  async admit(image: AdmittedImage): Promise<boolean> {
    try {
      await recordAdmission(this.lease, image, (em) =>
        this.storage.expectRoomFor(em, this.lease.scope.specification, image.unpackedBytes),
      );
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await failRun(this.lease, failure('storage_quota', error.message));
      return false;
    }
  }
}
