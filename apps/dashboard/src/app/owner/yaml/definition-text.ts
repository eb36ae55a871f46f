import { type Document, isCollection, isNode, isScalar, parseDocument } from 'yaml';

/** A task definition as plain data: whatever stands in its YAML, valid or not. */
export type DefinitionData = Readonly<Record<string, unknown>>;

/** Keys and places in lists, from the outside in. */
export type DefinitionPath = readonly (string | number)[];

/** Something wrong with the text, at its line and character from 1. */
export interface TextProblem {
  readonly path: string;
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export interface ReadText {
  /** Undefined where the text is no YAML, or no keys with values. */
  readonly definition: DefinitionData | undefined;
  readonly problems: readonly TextProblem[];
}

const WRITING = { lineWidth: 0 } as const;

/** What a text says, and where it is no YAML. */
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
 * The text with a value at a path; undefined removes what is there. Comments, order and the way in which all else is written stay: of a
 * single value only its own characters change. A text that is no YAML stays as it is.
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
  // a block of lines keeps its manner only where the document writes it
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
  // the manner of the text: { a: 1 } and [a, b], as most people write them
  return spacedLikeBefore(text, document.toString({ ...WRITING, flowCollectionPadding: true }));
}

/** A list or object that replaces one in a single line is written in one as well. */
function inMannerOf(document: Document, path: DefinitionPath, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const before = document.getIn(path, true);
  const node = document.createNode(value, { flow: isCollection(before) ? before.flow === true : Array.isArray(value) });
  if (isNode(before)) node.comment = before.comment;
  return node;
}

/** `[a, b]`, or `[ a, b ]` where the text has lists so. */
const spacedLikeBefore = (before: string, after: string): string => (/\[ /.test(before) ? after : tightLists(after));

/** Lists in one line without spaces at their ends, as most people write them; lines with quotes, blocks and comments stay. */
export const tightLists = (text: string): string =>
  text.replace(/^(?!\s*#)(.*)$/gm, (line) => (/['"|>]/.test(line) ? line : line.replace(/\[ (.*?) \]/g, '[$1]')));

const isRecord = (value: unknown): value is DefinitionData =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
