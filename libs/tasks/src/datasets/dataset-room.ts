import type { EntityManager } from '@mikro-orm/postgresql';

/** The storage that the owner of a task has left. */
export interface DatasetRoom {
  /** Called with the number of bytes as they are stored. Throws if they do not fit. */
  readonly onBytes: (count: number) => Promise<void>;
  /**
   * Throws if the data that `owner` stores now exceeds their limit. Nothing else of theirs can grow
   * until the transaction ends.
   */
  readonly expect: (em: EntityManager, owner: string) => Promise<void>;
}
