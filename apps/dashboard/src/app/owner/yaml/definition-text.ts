import { type Document, isCollection, isNode, isScalar, parseDocument } from 'yaml';
import { type DefinitionData, isRecord } from './merge-patch.js';

/** Keys and list indices, from the outermost inwards. */
export type DefinitionPath = readonly (string | number)[];

/** A problem in the text. Line and column count from 1. */
export interface TextProblem {
  readonly path: string;
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export interface ReadText {
  /** Undefined if the text is invalid YAML or not a mapping. */
  readonly definition: DefinitionData | undefined;
  readonly problems: readonly TextProblem[];
}

/** Parses a text and reports YAML syntax errors. */
export function readText(text: string): ReadText {
  const document = parseDocument(text);
  const problems = document.errors.map(({ message, linePos }) => ({
    path: '',
    message: message.split('\n', 1)[0]!.replace(/ at line \d+, column \d+:?$/, ''),
    line: linePos?.[0].line,
    column: linePos?.[0].col,
  }));
  if (problems.length > 0) return { definition: undefined, problems };
  const value: unknown = document.toJS();
  if (value === null) return { definition: {}, problems };
  return { definition: isRecord(value) ? value : undefined, problems };
}

/**
 * Returns the text with a value set at a path. Undefined removes the key. Preserves comments, order
 * and formatting; for a scalar, only its own characters change. Returns invalid YAML unchanged.
 */
export function withValue(text: string, path: DefinitionPath, value: unknown): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
  return withScalar(text, document, path, value) ?? rewritten(text, document, path, value);
}

function withScalar(text: string, document: Document, path: DefinitionPath, value: unknown): string | undefined {
  const node = document.getIn(path, true);
  if (!isScalar(node) || !node.range || value === undefined || typeof value === 'object') return undefined;
  const [from, to] = node.range;
  // a block scalar keeps its style only if the document writes it
  if (text[from] === '|' || text[from] === '>' || (typeof value === 'string' && value.includes('\n'))) return undefined;
  const isSpaceNeeded = from === to && text[from - 1] === ':';
  const next = `${text.slice(0, from)}${isSpaceNeeded ? ' ' : ''}${scalarText(value, text[from])}${text.slice(to)}`;
  const check = parseDocument(next);
  return check.errors.length === 0 && check.getIn(path) === value ? next : undefined;
}

function scalarText(value: unknown, quote: string | undefined): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (quote === "'") return `'${value.replaceAll("'", "''")}'`;
  if (quote === '"') return JSON.stringify(value);
  const isPlain = value !== '' && parseDocument(value).toJS() === value && !/[,[\]{}]/.test(value);
  return isPlain ? value : `'${value.replaceAll("'", "''")}'`;
}

function rewritten(text: string, document: Document, path: DefinitionPath, value: unknown): string {
  if (value === undefined) document.deleteIn(path);
  else document.setIn(path, inMannerOf(document, path, value));
  // restores the common style: { a: 1 } but [a, b]
  return spacedLikeBefore(text, document.toString({ lineWidth: 0, flowCollectionPadding: true }));
}

/**
 * Creates the new node in the style of the old one: flow style if the old collection was on a
 * single line.
 */
function inMannerOf(document: Document, path: DefinitionPath, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const before = document.getIn(path, true);
  const node = document.createNode(value, { flow: isCollection(before) ? before.flow === true : Array.isArray(value) });
  if (isNode(before)) node.comment = before.comment;
  return node;
}

/** Returns `after` with tight lists, `[a, b]`, unless `before` pads its lists, `[ a, b ]`. */
const spacedLikeBefore = (before: string, after: string): string => (/\[ /.test(before) ? after : tightLists(after));

/** Removes the padding of single-line lists. Skips lines with quotes, block scalars or comments. */
export const tightLists = (text: string): string =>
  text.replace(/^(?!\s*#)(.*)$/gm, (line) => (/['"|>]/.test(line) ? line : line.replace(/\[ (.*?) \]/g, '[$1]')));

/** A replacement of the characters from `from` to `to` by `insert`. */
interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/**
 * Returns the smallest single replacement that turns one text into the other; undefined if they are
 * equal.
 */
export function textChange(before: string, after: string): TextChange | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
