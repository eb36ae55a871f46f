import type { TermName } from '../ui/terms/terms.js';

/** The explanation of a metric or term beyond its one-sentence definition. */
export interface Topic {
  /** The term, which gives the anchor, the name and the definition. */
  readonly term: TermName;
  readonly more?: readonly string[];
  /** The formula, one line per element. */
  readonly formula?: readonly string[];
  /** The publication that defines it, or the program that computes the same. */
  readonly source?: string;
}

/** Topics under one heading. */
export interface TopicGroup {
  /** The anchor of the group. */
  readonly id: string;
  readonly heading: string;
  readonly lead?: string;
  readonly topics: readonly Topic[];
}
