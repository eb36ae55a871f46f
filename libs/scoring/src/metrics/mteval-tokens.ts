import { words } from './white-space.js';

const ENTITIES = [
  ['&quot;', '"'],
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
] as const;

/** The tokens of mteval-v13a.pl, the script of NIST's and WMT's evaluations, as sacreBLEU has them ("13a"); the case is kept. */
export function mtevalTokens(text: string): readonly string[] {
  const joined = text.trimEnd().replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ');
  const plain = ENTITIES.reduce((line, [entity, character]) => line.replaceAll(entity, character), joined);
  const spaced = ` ${plain} `
    // ASCII punctuation without apostrophe, comma, hyphen and full stop
    .replace(/[{-~[-` -&(-+:-@/]/g, ' $& ')
    // a comma or full stop that no digit precedes, or that none follows
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ');
  return words(spaced);
}
