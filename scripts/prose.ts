import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { project } from './command.js';
import { docstringProblems, proseProblems } from './services/prose-rules.js';
import { sourceFiles } from './services/source-files.js';

const FOLDERS = ['apps', 'docs', 'libs', 'sandboxes', 'scripts', 'test'] as const;
const PAGES = ['CONTRIBUTING.md', 'README.md', 'SECURITY.md'] as const;
const CHECKED = /\.(?:ts|mjs|md|html)$/;
/** Files whose strings are data: the words of a language, or examples of what the rules refuse. */
const DATA = [
  'libs/tasks/src/perturbation/',
  'sandboxes/probes/lies.mjs',
  'scripts/services/prose-rules.spec.ts',
  'test/e2e/probes/table.ts',
];

/**
 * Returns what breaks the mechanical rules of prose in Markdown, templates, comments and strings
 * (texts of the pages, of the CLI and of errors, titles of tests), or undefined.
 */
export function badProse(): string | undefined {
  const paths = [...PAGES, ...sourceFiles(FOLDERS).filter((path) => CHECKED.test(path))];
  const problems = paths.flatMap((path) => {
    const text = readFileSync(join(project, path), 'utf8');
    return /\.(?:md|html)$/.test(path) ? lineProblems(path, text) : sourceProblems(path, text);
  });
  return problems.length > 0 ? problems.join('\n') : undefined;
}

function lineProblems(path: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) => proseProblems(line).map((problem) => `${path}:${index + 1}: ${problem}`));
}

/** Checks every comment and every string of a TypeScript or JavaScript file. */
function sourceProblems(path: string, text: string): string[] {
  const isData = DATA.some((data) => path.startsWith(data));
  return piecesOf(text).flatMap(({ start, piece }) => {
    const isComment = piece.startsWith('/');
    if (isData && !isComment) return [];
    const said = piece.replaceAll(/^\/\*\*?|\*\/$|^\s*(?:\*|\/\/) ?/gm, '').trim();
    const line = text.slice(0, start).split('\n').length;
    const problems = piece.startsWith('/**') ? docstringProblems(said) : proseProblems(said);
    return problems.map((problem) => `${path}:${line}: ${problem}`);
  });
}

/** A comment, or a string or template with its quotes. */
interface Piece {
  /** Position in the source text. */
  readonly start: number;
  readonly piece: string;
}

function piecesOf(text: string): readonly Piece[] {
  const source = ts.createSourceFile('any.ts', text, ts.ScriptTarget.Latest);
  const found = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const around = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of around) found.set(pos, text.slice(pos, end));
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const start = node.getStart(source);
      found.set(start, text.slice(start, node.end));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found].map(([start, piece]) => ({ start, piece })).sort((one, other) => one.start - other.start);
}

if (import.meta.main) {
  const problems = badProse();
  console.log(problems ?? 'No problems found.');
  process.exitCode = problems ? 1 : 0;
}
