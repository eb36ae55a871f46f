/** The explanation of a metric or glossary term, in a sentence for newcomers. */
export interface Explanation {
  readonly name: string;
  readonly sentence: string;
}
