/** A pair of a long form and its contraction. */
export interface Contraction {
  readonly long: string;
  readonly short: string;
  /**
   * True if the short form has only this long form. `he'd` is "he had" or "he would", so it is
   * never expanded.
   */
  readonly isCertain: boolean;
}

/** Negated auxiliaries. Those not listed separately add "n't" without other changes. */
const NEGATED: readonly (readonly [string, string])[] = [
  ['can not', "can't"],
  ['cannot', "can't"],
  ['will not', "won't"],
  ['shall not', "shan't"],
  ...['do', 'does', 'did', 'is', 'are', 'was', 'were', 'has', 'have', 'had', 'would', 'could', 'should', 'must'].map(
    (verb) => [`${verb} not`, `${verb}n't`] as const,
  ),
];

const PRONOUNS = ['I', 'you', 'he', 'she', 'it', 'we', 'they'];
const ARE = ['you', 'we', 'they'];
const IS = ['he', 'she', 'it', 'that', 'there', 'what', 'who', 'here', 'where'];

/** The contractions of written English (Quirk et al. 1985, 3.23 and 3.36). */
export const CONTRACTIONS: readonly Contraction[] = [
  ...NEGATED.map(([long, short]) => ({ long, short, isCertain: true })),
  { long: 'I am', short: "I'm", isCertain: true },
  ...ARE.map((word) => ({ long: `${word} are`, short: `${word}'re`, isCertain: true })),
  ...PRONOUNS.map((word) => ({ long: `${word} will`, short: `${word}'ll`, isCertain: true })),
  ...['I', ...ARE].map((word) => ({ long: `${word} have`, short: `${word}'ve`, isCertain: true })),
  ...IS.map((word) => ({ long: `${word} is`, short: `${word}'s`, isCertain: false })),
  ...PRONOUNS.map((word) => ({ long: `${word} would`, short: `${word}'d`, isCertain: false })),
];
