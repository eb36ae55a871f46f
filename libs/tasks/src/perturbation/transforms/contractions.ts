import { ANY_OUTPUT, capitalisedLike, edited, eachText, freeMatches, type Edit, type Transform } from '../transform.js';

/** A pair of a long form and its contraction. */
interface Contraction {
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
const CONTRACTIONS: readonly Contraction[] = [
  ...NEGATED.map(([long, short]) => ({ long, short, isCertain: true })),
  { long: 'I am', short: "I'm", isCertain: true },
  ...ARE.map((word) => ({ long: `${word} are`, short: `${word}'re`, isCertain: true })),
  ...PRONOUNS.map((word) => ({ long: `${word} will`, short: `${word}'ll`, isCertain: true })),
  ...['I', ...ARE].map((word) => ({ long: `${word} have`, short: `${word}'ve`, isCertain: true })),
  ...IS.map((word) => ({ long: `${word} is`, short: `${word}'s`, isCertain: false })),
  ...PRONOUNS.map((word) => ({ long: `${word} would`, short: `${word}'d`, isCertain: false })),
];

const shortOf = new Map(CONTRACTIONS.map(({ long, short }) => [long.toLowerCase(), short]));
/** By short form: its long form. If there are several, the first one. */
const longOf = new Map(
  CONTRACTIONS.filter(({ isCertain }) => isCertain)
    .toReversed()
    .map(({ long, short }) => [short.toLowerCase(), long === 'can not' ? 'cannot' : long]),
);

const either = (forms: Iterable<string>): string =>
  [...forms]
    .sort((one, other) => other.length - one.length)
    .map((form) => form.replace(/[' ]/g, pattern))
    .join('|');
const pattern = (mark: string): string => (mark === ' ' ? ' ' : "['\u2019]");

// only before another word, because "I think it's." is not English; and never before "not" or "only"
const LONG = new RegExp(
  `(?<![\\p{L}'\u2019])(?:${either(shortOf.keys())})(?= \\p{L})(?! (?:not|n't|only)(?!\\p{L}))`,
  'giu',
);
const SHORT = new RegExp(`(?<![\\p{L}'\u2019])(?:${either(longOf.keys())})(?!\\p{L})`, 'giu');

/** Contracts long forms, and expands contractions that have only one long form. */
export const contractions: Transform = {
  name: 'contractions',
  version: 1,
  languages: ['en'],
  outputs: ANY_OUTPUT,
  apply: eachText((source) => {
    const edits = [
      ...freeMatches(source, LONG).map((match) => editOf(match, shortOf)),
      ...freeMatches(source, SHORT).map((match) => editOf(match, longOf)),
    ];
    return edited(source.text, edits);
  }),
};

function editOf(match: RegExpExecArray, forms: ReadonlyMap<string, string>): Edit {
  const [found] = match;
  const form = forms.get(found.toLowerCase().replaceAll('\u2019', "'"))!;
  // the capital of "I" says nothing about the case of the other letters
  const by = form.startsWith('I') ? form : capitalisedLike(found, form);
  return { start: match.index, end: match.index + found.length, by };
}
