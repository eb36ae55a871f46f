// the characters at which Python's str.split() splits, which the published scripts use
const WHITE_SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;

/** Splits a text at white space. */
export const words = (text: string): readonly string[] => text.split(WHITE_SPACE).filter((word) => word !== '');

export const withoutWhiteSpace = (text: string): string => text.replace(WHITE_SPACE, '');
