/** Returns a value of an example as text. */
export const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Cuts a text off after `most` characters. */
export const cutText = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** Reduces Markdown to a single line of plain text. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replace(/(\*\*|__|`|~~)/g, '')
    .replace(/(^|\s)[*_](\S[^*_]*)[*_]/g, '$1$2')
    .replace(/\s+/g, ' ')
    .trim();
}
