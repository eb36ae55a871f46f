import type { Rng } from '@assay/kernel';
import { ANY_OUTPUT, edited, eachText, freeMatches, someOf, type Transform } from '../transform.js';

const SPACES = [' ', '  ', '\t', '\n'];
const SHARE = 0.15;

/** Adds white space in 15% of the places that already have some, and at the end. */
export const whitespace: Transform = {
  name: 'whitespace',
  version: 1,
  languages: 'any',
  outputs: ANY_OUTPUT,
  apply: eachText((source, rng) => {
    if (source.text.trim() === '') return source.text;
    const gaps = someOf(freeMatches(source, /\s+/gu), SHARE, rng).map((match) => {
      const at = match.index + match[0].length;
      return { start: at, end: at, by: space(rng) };
    });
    return `${edited(source.text, gaps)}${space(rng)}`;
  }),
};

const space = (rng: Rng): string => SPACES[rng.below(SPACES.length)]!;
