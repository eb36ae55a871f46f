import type { TermName } from '../ui/terms.js';

/** What the help says of a metric or word beyond its sentence. */
export interface Topic {
  /** Its anchor, name and sentence. */
  readonly term: TermName;
  readonly more?: readonly string[];
  /** How it is computed, a line each. */
  readonly formula?: readonly string[];
  /** Who described it, or which program computes the same. */
  readonly source?: string;
}

/** Topics under one heading. */
export interface TopicGroup {
  /** Its anchor. */
  readonly id: string;
  readonly heading: string;
  readonly lead?: string;
  readonly topics: readonly Topic[];
}
