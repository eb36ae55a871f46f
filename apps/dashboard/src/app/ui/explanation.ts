/** A metric or a word of the glossary, in a sentence that a newcomer understands. */
export interface Explanation {
  readonly name: string;
  readonly sentence: string;
}
