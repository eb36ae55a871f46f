/**
 * Latin and Cyrillic letters that look the same in most fonts: pairs with the same skeleton in
 * Unicode's list of confusable characters (UTS #39, confusables.txt).
 */
const PAIRS = 'aа cс eе oо pр xх yу iі jј sѕ hһ AА BВ CС EЕ HН IІ JЈ KК MМ OО PР SЅ TТ XХ';

/** The look-alike of each letter in the other alphabet, in both directions. */
export const HOMOGLYPHS: ReadonlyMap<string, string> = new Map(
  PAIRS.split(' ').flatMap((pair) => {
    const [latin = '', cyrillic = ''] = pair;
    return [
      [latin, cyrillic],
      [cyrillic, latin],
    ] as const;
  }),
);

/**
 * The letter rows of a keyboard, from top to bottom. Each row is shifted right by about half a key
 * relative to the row above.
 */
const QWERTY = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const QWERTZ = ['qwertzuiopü', 'asdfghjklöä', 'yxcvbnm'];
const AZERTY = ['azertyuiop', 'qsdfghjklm', 'wxcvbn'];

const neighboursOn = (rows: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    rows.flatMap((row, line) =>
      Array.from(row).map((key, place) => {
        const above = rows[line - 1] ?? '';
        const below = rows[line + 1] ?? '';
        const near = [row[place - 1], row[place + 1], above[place], above[place + 1], below[place - 1], below[place]];
        return [key, near.join('')] as const;
      }),
    ),
  );

const qwerty = neighboursOn(QWERTY);
const qwertz = neighboursOn(QWERTZ);
const azerty = neighboursOn(AZERTY);

/**
 * The neighbours of each letter on the usual keyboard layout of a language, by primary language
 * subtag.
 */
export const KEYBOARDS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ...['en', 'es', 'pt', 'it', 'nl', 'sv', 'da', 'nb', 'nn', 'no', 'fi', 'pl', 'ro', 'tr', 'id', 'ms', 'sw', 'tl'].map(
    (language) => [language, qwerty] as const,
  ),
  ...['de', 'cs', 'sk', 'hu', 'sl', 'hr'].map((language) => [language, qwertz] as const),
  ['fr', azerty],
]);
