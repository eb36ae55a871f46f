/** A mechanical rule of plain English. */
export interface ProseRule {
  readonly pattern: RegExp;
  /** The standard term. */
  readonly instead: string;
}

/** Words and phrases that have a standard term. */
const WORDS: readonly ProseRule[] = [
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\bcan not\b/i, instead: 'cannot' },
  { pattern: /\b(?:as|by|for|from|of|than|to|with) who\b/i, instead: 'a noun, as in "for users who"' },
  { pattern: /\bgoes on\b/i, instead: 'continues' },
  { pattern: /\bstands? beside\b/i, instead: 'is next to' },
  { pattern: /\b(?:is|are) told\b/i, instead: 'is notified, receives' },
  { pattern: /\blook(?:s|ed) at (?:again|anew|by)\b/i, instead: 'checked' },
  { pattern: /\bwhose doing\b/i, instead: 'who caused it' },
  { pattern: /\bso (?:many|much) (?:of|as are)\b/i, instead: 'a number' },
];

/** A docstring names the thing or says what the function does. */
const DOCSTRING: ProseRule = {
  pattern: /^(?:Of|What|Whatever|Who|Whoever|Whom|Whose|Whether)\b/,
  instead: 'a verb or a noun phrase, for example "Returns …" or "The …"',
};

/** Returns what is wrong with a docstring, its comment marks removed; one sentence for each rule that it breaks. */
export function docstringProblems(text: string): string[] {
  const start = DOCSTRING.pattern.exec(text);
  return [
    ...(start ? [`A docstring starts with "${start[0]}". Start with ${DOCSTRING.instead}.`] : []),
    ...proseProblems(text),
  ];
}

/** Returns what is wrong with any other text. */
export function proseProblems(text: string): string[] {
  return WORDS.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(text);
    return found ? [`"${found[0]}": write "${instead}".`] : [];
  });
}
