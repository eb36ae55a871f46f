/** `text` for `like` and `ilike`, with its signs of patterns taken for what they are. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
