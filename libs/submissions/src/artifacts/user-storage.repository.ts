import { Repository } from '@assay/persistence/queries';

/** A model or dataset version that stores bytes. Rows with the same `key` share them. */
export interface StoredRow {
  /** The ID of the artifact, or the digest of the dataset's blob. */
  readonly key: string;
  /** The task's slug. */
  readonly task: string;
  readonly name: string;
}

export interface OwnedArtifact extends StoredRow {
  readonly bytes: number;
  /** The ID of the model. */
  readonly model: string;
}

/**
 * The uploaded size of an artifact plus its unpacked size: after admission the platform also stores
 * a rebuilt or unpacked copy.
 */
const STORED_BYTES = `(a.size + coalesce((a.image ->> 'unpackedBytes')::bigint, 0))::float8`;

/** The dataset versions with uploaded bytes that are in the tasks of a user. */
const UPLOADED_VERSIONS = `dataset_version v join dataset d on d.id = v.dataset_id join task t on t.id = d.task_id
  where t.owner_id = ? and (d.perturbation is null or v.transforms @> '[{"name": "own"}]')`;

/** The bytes that users store. Rows are sorted by age, oldest first. */
export class UserStorageRepository extends Repository {
  /**
   * Returns the total size of the unarchived artifacts of the user's models, each counted once, and of
   * the files that were added to them.
   */
  async artifactBytes(user: string): Promise<number> {
    const { bytes } = await this.row<{ bytes: number }>(
      `select (
         select coalesce(sum(${STORED_BYTES}), 0) from artifact a where a.archived_at is null and a.id in
           (select s.artifact_id from model m join run_specification s on s.id = m.specification_id where m.owner_id = ?)
       )::float8 + (
         select coalesce(sum(added.size), 0) from supplement added join model m on m.specification_id = added.specification_id
          where added.archived_at is null and m.owner_id = ?
       )::float8 as bytes`,
      [user, user],
    );
    return bytes;
  }

  /** Returns the unarchived artifacts of the user's models, with what was added to them, one row for each model. */
  artifacts(user: string): Promise<OwnedArtifact[]> {
    return this.em.execute<OwnedArtifact[]>(
      `select a.id as key, ${STORED_BYTES} + coalesce((select sum(added.size) from supplement added
           where added.specification_id = s.id and added.archived_at is null), 0)::float8 as bytes, t.slug as task, m.name, m.id as model
         from artifact a join run_specification s on s.artifact_id = a.id
         join model m on m.specification_id = s.id join task t on t.id = m.task_id
        where a.archived_at is null and m.owner_id = ? order by m.id`,
      [user],
    );
  }

  /** Returns the digests of the uploaded datasets in the user's tasks, each once, in no order. */
  async datasetContents(user: string): Promise<readonly string[]> {
    const query = `select distinct v.content from ${UPLOADED_VERSIONS}`;
    return (await this.em.execute<{ content: string }[]>(query, [user])).map(({ content }) => content);
  }

  /** Returns the versions of uploaded datasets in the user's tasks. */
  datasets(user: string): Promise<StoredRow[]> {
    return this.em.execute<StoredRow[]>(
      `select v.content as key, t.slug as task, d.name || ' (' || v.number || ')' as name from ${UPLOADED_VERSIONS} order by v.id`,
      [user],
    );
  }

  /** Returns the rounds of the user's tasks that people have put bytes into. */
  rounds(user: string): Promise<Pick<OwnedArtifact, 'task' | 'name' | 'bytes'>[]> {
    return this.em.execute<Pick<OwnedArtifact, 'task' | 'name' | 'bytes'>[]>(
      `select t.slug as task, 'round ' || r.number as name, r.put_bytes::float8 as bytes
         from round r join task t on t.id = r.task_id where t.owner_id = ? and r.put_bytes > 0 order by r.id`,
      [user],
    );
  }

  /** Returns the IDs of the existing accounts that have submitted a specification, in no order. */
  ownersOf(specification: string): Promise<readonly string[]> {
    return this.idsOf(
      this.em.execute<{ id: string }[]>(
        `select distinct u.id from model m join user_account u on u.id = m.owner_id
        where m.specification_id = ? and u.deleted_at is null`,
        [specification],
      ),
    );
  }
}
