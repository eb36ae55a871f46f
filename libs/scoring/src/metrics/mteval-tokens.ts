import { words } from './white-space.js';

const ENTITIES = [
  ['&quot;', '"'],
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
] as const;

/**
 * Returns the tokens of mteval-v13a.pl, the script of the NIST and WMT evaluations, as sacreBLEU
 * implements it ("13a"). Case is preserved.
 */
export function mtevalTokens(text: string): readonly string[] {
  const joined = text.trimEnd().replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ');
  const plain = ENTITIES.reduce((line, [entity, character]) => line.replaceAll(entity, character), joined);
  const spaced = ` ${plain} `
    // ASCII punctuation except apostrophe, comma, hyphen and full stop
    .replace(/[{-~[-` -&(-+:-@/]/g, ' $& ')
    // a comma or full stop that is not preceded, or not followed, by a digit
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ');
  return words(spaced);
}
