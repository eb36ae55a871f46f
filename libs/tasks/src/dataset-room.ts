import type { EntityManager } from '@mikro-orm/postgresql';

/** What the owner of a task may still keep. */
export interface DatasetRoom {
  /** Told of bytes as they are kept. Throws where there is no room for them. */
  readonly onBytes: (count: number) => Promise<void>;
  /** That all fits which `owner` keeps now; what is theirs grows no more until the transaction ends. Throws where it does not fit. */
  readonly expect: (em: EntityManager, owner: string) => Promise<void>;
}
