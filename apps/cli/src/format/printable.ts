/**
 * Characters that a terminal would obey instead of showing them: controls (C0 and C1, and with them every escape sequence), and characters that change the direction
 * or the line of the text around them. Tabs and line ends are left alone.
 */
const COMMANDS = /(?![\t\n]|\r\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** The text with those characters written as in JSON, `\u001b`, so that they are seen and do nothing. */
export const printable = (text: string): string =>
  text.replace(COMMANDS, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`);
