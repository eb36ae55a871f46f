/**
 * Wraps text between words at `width` characters. Continuation lines are indented by two more
 * spaces than their line.
 */
export function wrapped(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= width ? line : broken(line, width)))
    .join('\n');
}

function broken(line: string, width: number): string {
  const indent = /^ */.exec(line)![0];
  const lines: string[] = [];
  let current = indent;
  let isEmpty = true;
  for (const word of line.trim().split(/ +/)) {
    if (!isEmpty && current.length + 1 + word.length > width) {
      lines.push(current);
      current = `${indent}  `;
      isEmpty = true;
    }
    current += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, current].join('\n');
}

/** Truncates text to `length` characters. The last character of a truncated text is an ellipsis. */
export const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;
