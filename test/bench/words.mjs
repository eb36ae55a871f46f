/** 2,000 arbitrary words of three letters. */
export const WORDS = Array.from({ length: 2_000 }, (_, index) =>
  String.fromCharCode(97 + (index % 26), 97 + (Math.floor(index / 26) % 26), 97 + Math.floor(index / 676)),
);
