import { failure, type FailureCode } from '@assay/contracts/models';
import { type TaskLimits } from '@assay/contracts/tasks';
import { failRun, recordAdmission, recordRefusal } from '@assay/evaluation/outcomes';
import { type RunLease } from '@assay/evaluation/runs';
import { DomainError } from '@assay/kernel';
import { type AdmittedImage, unpackedBeyond, type UserStorageService } from '@assay/submissions/artifacts';

/** The storage quotas of the owners of submissions. */
export type OwnersStorage = Pick<UserStorageService, 'roomFor' | 'expectRoomFor'>;

/** For tests of other features: unlimited storage for every owner. */
const UNLIMITED: OwnersStorage = {
  roomFor: () => Promise.resolve(Infinity),
  expectRoomFor: () => Promise.resolve(),
};

/**
 * The size that an artifact may unpack to: the smaller of the task's limit and the free storage of
 * its owner. A small compressed file therefore cannot take more disk space than its owner's quota.
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

  /**
   * Records why the artifact is refused. If only storage is missing, the run fails but the artifact
   * stays unchanged: its owner may free space or get a larger quota.
   */
  async refuse(code: FailureCode, message: string): Promise<void> {
    if (code === 'unpacked_too_large' && this.room < Infinity) {
      return failRun(this.lease, failure('storage_quota', unpackedBeyond(this.room)));
    }
    return recordRefusal(this.lease, failure(code, message));
  }

  /**
   * Records that the artifact is admitted, unless its owner's storage has been filled in the
   * meantime.
   *
   * @returns true if it is admitted
   */
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
