/** Escapes `text` for `like` and `ilike`, so that its pattern characters match literally. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
