import type { EntityManager } from '@mikro-orm/postgresql';

/** What the owner of a task may still keep. */
export interface DatasetRoom {
  /** The most bytes that are taken of one dataset. */
  readonly maxBytes?: number | undefined;
  /** That all fits which `owner` keeps now; what is theirs grows no more until the transaction ends. Throws where it does not fit. */
  readonly expect: (em: EntityManager, owner: string) => Promise<void>;
}
