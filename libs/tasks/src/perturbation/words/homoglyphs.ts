/**
 * Letters of Latin and of Cyrillic that look the same in most fonts: pairs that Unicode's list of confusable characters (UTS #39,
 * confusables.txt) gives one skeleton.
 */
const PAIRS = 'aа cс eе oо pр xх yу iі jј sѕ hһ AА BВ CС EЕ HН IІ JЈ KК MМ OО PР SЅ TТ XХ';

/** Of a letter, the one of the other alphabet that looks like it; both ways. */
export const HOMOGLYPHS: ReadonlyMap<string, string> = new Map(
  PAIRS.split(' ').flatMap((pair) => {
    const [latin = '', cyrillic = ''] = pair;
    return [
      [latin, cyrillic],
      [cyrillic, latin],
    ] as const;
  }),
);
