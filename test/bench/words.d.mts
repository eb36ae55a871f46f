export const WORDS: readonly string[];
