import { formatBytes } from '@assay/contracts';
import { User } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { MOST_TASKS, Task } from '@assay/tasks';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { Model } from './model.js';

/** What everybody may have who has no limit of their own, in bytes. */
export const USER_STORAGE = Symbol('UserStorage');

/** Bytes of somebody, and how many they may have; null: an administrator, who sets the limits. */
export interface StorageUse {
  readonly artifacts: number;
  readonly datasets: number;
  readonly limit: number | null;
}

/** Bytes that somebody keeps, and what they are: models (with their id) or versions of datasets. */
export interface StoredThing {
  readonly kind: 'artifact' | 'dataset';
  readonly bytes: number;
  readonly of: readonly { readonly task: string; readonly name: string; readonly model?: string }[];
}

/** An artifact as it was uploaded, and what the platform stores of it since admission: it is rebuilt, or unpacked to run. */
const STORED_BYTES = `(a.size + coalesce((a.image ->> 'unpackedBytes')::bigint, 0))::float8`;

const ARTIFACTS = `
  select a.id as key, ${STORED_BYTES} as bytes, t.slug as task, m.name, m.id as model
    from artifact a join run_specification s on s.artifact_id = a.id
    join model m on m.specification_id = s.id join task t on t.id = m.task_id
   where a.archived_at is null and m.owner_id = ? order by m.id`;

const DATASETS = `
  select v.content as key, t.slug as task, d.name || ' (' || v.number || ')' as name
    from dataset_version v join dataset d on d.id = v.dataset_id join task t on t.id = d.task_id
   where t.owner_id = ? and (d.perturbation is null or v.transforms @> '[{"name": "own"}]') order by v.id`;

const ROUNDS = `
  select t.slug as task, 'round ' || r.number as name, r.put_bytes::float8 as bytes
    from round r join task t on t.id = r.task_id where t.owner_id = ? and r.put_bytes > 0 order by r.id`;

/** How much of the disk belongs to whom. */
@Injectable()
export class UserStorageService {
  constructor(
    private readonly em: EntityManager,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    @Inject(USER_STORAGE) private readonly everybody: number,
  ) {}

  /** Of the artifacts of their models, the archived left out, and of the datasets of their tasks with their own pairs: the same bytes once; of what was put into their rounds. */
  async of(userId: string, em: EntityManager = this.em.fork()): Promise<StorageUse> {
    const user = await em.findOne(User, { id: userId, deletedAt: null });
    if (!user) throw DomainError.notFound('account');
    const [artifacts] = await em.execute<{ bytes: number }[]>(
      `select coalesce(sum(${STORED_BYTES}), 0)::float8 as bytes from artifact a
        where a.archived_at is null and a.id in
          (select s.artifact_id from model m join run_specification s on s.id = m.specification_id where m.owner_id = ?)`,
      [userId],
    );
    const limit = user.role === 'administrator' ? null : (user.storageLimit ?? this.everybody);
    const rounds = await em.execute<{ bytes: number }[]>(ROUNDS, [userId]);
    const datasets = rounds.reduce((sum, { bytes }) => sum + bytes, await this.datasets(em, userId));
    return { artifacts: artifacts!.bytes, datasets, limit };
  }

  /**
   * Has `pass` make something theirs that nobody asked them about: it leaves them half of what they may keep, and of the tasks that they may have.
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
      `"${receiver.username}" would have too much then: what others give may take half of their storage and of their tasks. They can archive models, or ask an administrator for more.`,
    );
  }

  /** What `of` counts, thing by thing. */
  async things(userId: string): Promise<StoredThing[]> {
    const em = this.em.fork();
    const artifacts = await em.execute<ArtifactRow[]>(ARTIFACTS, [userId]);
    const datasets = await em.execute<StoredRow[]>(DATASETS, [userId]);
    const things: StoredThing[] = byKey(artifacts).map((rows) => ({
      kind: 'artifact',
      bytes: rows[0]!.bytes,
      of: rows.map(({ task, name, model }) => ({ task, name, model })),
    }));
    for (const rows of byKey(datasets)) {
      const bytes = await this.blobs.size(rows[0]!.key).catch(() => 0);
      things.push({ kind: 'dataset', bytes, of: rows.map(({ task, name }) => ({ task, name })) });
    }
    const rounds = await em.execute<{ task: string; name: string; bytes: number }[]>(ROUNDS, [userId]);
    return [...things, ...rounds.map(({ bytes, ...round }) => ({ kind: 'dataset' as const, bytes, of: [round] }))];
  }

  /**
   * Returns the bytes that the artifact of a specification may take in addition to its upload: what its owner has left; of
   * several owners the most that one has. Infinity for an owner without a limit.
   */
  async roomFor(specification: string, em: EntityManager = this.em.fork()): Promise<number> {
    const owners = await em.execute<{ id: string }[]>(
      `select distinct u.id from model m join user_account u on u.id = m.owner_id
        where m.specification_id = ? and u.deleted_at is null`,
      [specification],
    );
    let room = owners.length === 0 ? Infinity : 0;
    for (const { id } of owners) {
      const { artifacts, datasets, limit } = await this.of(id, em);
      room = Math.max(room, limit === null ? Infinity : limit - artifacts - datasets);
    }
    return room;
  }

  /**
   * Checks that there is room for `bytes` of an artifact that is about to be recorded, in the transaction that records it:
   * artifacts that end together each found room when they began.
   * @throws DomainError `storage_quota`
   */
  async expectRoomFor(em: EntityManager, specification: string, bytes: number): Promise<void> {
    await em.execute(`select pg_advisory_xact_lock(hashtext('assay.stored-artifacts'))`);
    const room = await this.roomFor(specification, em);
    if (bytes > room) throw new DomainError('too-large', 'storage_quota', unpackedBeyond(room));
  }

  /** Of these ids those that are models of theirs. */
  async ownModels(userId: string, ids: readonly string[]): Promise<Model[]> {
    if (ids.length === 0) return [];
    return this.em.fork().find(Model, { owner: userId, id: { $in: [...ids] } }, { populate: ['task'] });
  }

  private async datasets(em: EntityManager, userId: string): Promise<number> {
    const versions = await em.execute<{ content: string }[]>(
      `select distinct v.content from dataset_version v join dataset d on d.id = v.dataset_id join task t on t.id = d.task_id
        where t.owner_id = ? and (d.perturbation is null or v.transforms @> '[{"name": "own"}]')`,
      [userId],
    );
    let bytes = 0;
    for (const { content } of versions) bytes += await this.blobs.size(content).catch(() => 0);
    return bytes;
  }
}

interface StoredRow {
  readonly key: string;
  readonly task: string;
  readonly name: string;
}

interface ArtifactRow extends StoredRow {
  readonly bytes: number;
  readonly model: string;
}

const byKey = <T extends StoredRow>(rows: readonly T[]): T[][] => [...Map.groupBy(rows, ({ key }) => key).values()];

/** The sentence that an artifact does not fit into the `room` that its owner has left, in bytes. */
export const unpackedBeyond = (room: number): string =>
  `Unpacked, the artifact would take more than the ${formatBytes(Math.max(0, room))} that are left of its owner's storage.`;

/** That `bytes` more may be kept, beside those that arrive. @throws DomainError `storage_quota` */
export function expectRoom(use: StorageUse, bytes: number, arriving = 0): void {
  const taken = use.artifacts + use.datasets + arriving;
  if (use.limit === null || taken + bytes <= use.limit) return;
  throw new DomainError(
    'too-large',
    'storage_quota',
    `Your models, datasets and uploads would take ${formatBytes(taken + bytes)}, and may take ${formatBytes(use.limit)}. ` +
      'Archive models that need not be run again, or ask an administrator for more.',
  );
}
