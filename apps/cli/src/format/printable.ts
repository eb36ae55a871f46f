/**
 * Characters that a terminal would execute instead of displaying: control characters (C0 and C1,
 * and with them every escape sequence), and characters that change the text direction or break the
 * line. Tabs and line ends are excluded.
 */
const COMMANDS = /(?![\t\n]|\r\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Replaces those characters with JSON escapes such as `\u001b`, which are visible and harmless. */
export const printable = (text: string): string =>
  text.replace(COMMANDS, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`);
