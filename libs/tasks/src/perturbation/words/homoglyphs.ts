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
