import { formatBytes } from '@assay/contracts/text';
import { User } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { holdAdvisoryLock } from '@assay/persistence/locks';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { MOST_TASKS, Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { Model } from '../model.js';
import { type StoredRow, UserStorageRepository } from './user-storage.repository.js';

/**
 * Injection token for the default storage limit in bytes, which applies to users without a limit of
 * their own.
 */
export const USER_STORAGE = Symbol('UserStorage');

/**
 * Bytes that a user stores, and their limit. The limit is null for administrators, who set the
 * limits.
 */
export interface StorageUse {
  readonly artifacts: number;
  readonly datasets: number;
  readonly limit: number | null;
}

/**
 * Stored bytes of a user, with the models (including their ID), dataset versions or rounds that
 * they belong to.
 */
export interface StoredThing {
  readonly kind: 'artifact' | 'dataset';
  readonly bytes: number;
  readonly of: readonly { readonly task: string; readonly name: string; readonly model?: string }[];
}

/** Computes how much storage each user takes, and checks it against the limits. */
@Injectable()
export class UserStorageService {
  constructor(
    private readonly em: EntityManager,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(USER_STORAGE) private readonly everybody: number,
  ) {}

  /**
   * Returns the bytes that count towards the limit of a user: the unarchived artifacts of their
   * models; the datasets of their tasks, including perturbed ones with uploaded pairs (`own`) but
   * no generated ones; and the bytes put into the rounds of their tasks. Identical bytes of one
   * kind count once.
   * @throws DomainError `not_found` if the account does not exist or is deleted
   */
  async of(userId: string, em: EntityManager = this.em.fork()): Promise<StorageUse> {
    const failHandler = DomainError.missing('account');
    const user = await em.findOneOrFail(User, { id: userId, deletedAt: null }, { failHandler });
    const limit = user.role === 'administrator' ? null : (user.storageLimit ?? this.everybody);
    const storage = new UserStorageRepository(em);
    const artifacts = await storage.artifactBytes(userId);
    const rounds = await storage.rounds(userId);
    const uploads = await Array.fromAsync(await storage.datasetContents(userId), (content) => this.sizeOf(content));
    const datasets = [...rounds.map(({ bytes }) => bytes), ...uploads].reduce((sum, bytes) => sum + bytes, 0);
    return { artifacts, datasets, limit };
  }

  /**
   * Runs `pass`, which transfers ownership to `receiver` without asking them. The transfer may fill
   * at most half of their storage limit and half of the number of tasks that a user may own.
   * Administrators have no such limit.
   * @throws DomainError `receiver_full`
   */
  async give(em: EntityManager, receiver: User, pass: () => Promise<void>): Promise<void> {
    const before = await this.of(receiver.id, em);
    await pass();
    const after = await this.of(receiver.id, em);
    if (after.limit === null) return;
    const isLarge = after.datasets > before.datasets && after.artifacts + after.datasets > after.limit / 2;
    if (!isLarge && (await em.count(Task, { owner: receiver })) <= MOST_TASKS / 2) return;
    throw new DomainError(
      'conflict',
      'receiver_full',
      `"${receiver.username}" cannot receive this task. ` +
        'A transfer may fill at most half of their storage and half of their task limit. ' +
        'They can archive models, or ask an administrator for more.',
    );
  }

  /**
   * Returns the items that `of` adds up, one entry for each distinct artifact, dataset content or
   * round.
   */
  async things(userId: string): Promise<StoredThing[]> {
    const storage = new UserStorageRepository(this.em.fork());
    const artifacts = await storage.artifacts(userId);
    const datasets = await storage.datasets(userId);
    const uploads = await Array.fromAsync(byKey(datasets), async (rows) => ({
      kind: 'dataset' as const,
      bytes: await this.sizeOf(rows[0]!.key),
      of: rows.map(({ task, name }) => ({ task, name })),
    }));
    const rounds = await storage.rounds(userId);
    return [
      ...byKey(artifacts).map((rows) => ({
        kind: 'artifact' as const,
        bytes: rows[0]!.bytes,
        of: rows.map(({ task, name, model }) => ({ task, name, model })),
      })),
      ...uploads,
      ...rounds.map(({ bytes, ...round }) => ({ kind: 'dataset' as const, bytes, of: [round] })),
    ];
  }

  /**
   * Returns the bytes that the artifact of a specification may take in addition to its upload: the
   * free storage of its owner. If it has several owners, the largest free storage of any of them.
   * Infinity for an owner without a limit.
   */
  async roomFor(specification: string, em: EntityManager = this.em.fork()): Promise<number> {
    const owners = await new UserStorageRepository(em).ownersOf(specification);
    let room = owners.length === 0 ? Infinity : 0;
    for (const id of owners) {
      const { artifacts, datasets, limit } = await this.of(id, em);
      room = Math.max(room, limit === null ? Infinity : limit - artifacts - datasets);
    }
    return room;
  }

  /**
   * Checks that there is room for `bytes` of an artifact. Call it in the transaction that records
   * the artifact: an advisory lock serialises artifacts that finish at the same time, each of which
   * found room when it started.
   * @throws DomainError `storage_quota`
   */
  async expectRoomFor(em: EntityManager, specification: string, bytes: number): Promise<void> {
    await holdAdvisoryLock(em, 'assay.stored-artifacts');
    const room = await this.roomFor(specification, em);
    if (bytes > room) throw new DomainError('too-large', 'storage_quota', unpackedBeyond(room));
  }

  /** Returns the models among `ids` that belong to the user. */
  async ownModels(userId: string, ids: readonly string[]): Promise<Model[]> {
    if (ids.length === 0) return [];
    return this.em.fork().find(Model, { owner: userId, id: { $in: [...ids] } }, { populate: ['task'] });
  }

  /** Returns the size of a blob in bytes; 0 if it does not exist. */
  private sizeOf(digest: string): Promise<number> {
    return this.blobs.size(digest).catch(() => 0);
  }
}

const byKey = <T extends StoredRow>(rows: readonly T[]): T[][] => [...Map.groupBy(rows, ({ key }) => key).values()];

/**
 * The error message for an artifact that does not fit into `room`, the remaining bytes of its
 * owner's storage.
 */
export const unpackedBeyond = (room: number): string =>
  `Unpacked, the artifact would take more than the ${formatBytes(Math.max(0, room))} left in its owner's storage.`;

/**
 * Checks that a user may store `bytes` more, in addition to the `arriving` bytes of uploads in
 * progress.
 * @throws DomainError `storage_quota`
 */
export function expectRoom(use: StorageUse, bytes: number, arriving = 0): void {
  const taken = use.artifacts + use.datasets + arriving;
  if (use.limit === null || taken + bytes <= use.limit) return;
  throw new DomainError(
    'too-large',
    'storage_quota',
    `Your models, datasets and uploads would take ${formatBytes(taken + bytes)}. ` +
      `The limit is ${formatBytes(use.limit)}. ` +
      'Archive models that need not run again, or ask an administrator for more.',
  );
}
