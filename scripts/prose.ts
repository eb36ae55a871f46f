import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { project } from './command.js';
import { docstringProblems, proseProblems } from './services/prose-rules.js';
import { sourceFiles } from './services/source-files.js';

const FOLDERS = ['apps', 'docs', 'libs', 'sandboxes', 'scripts', 'test'] as const;
const PAGES = ['CONTRIBUTING.md', 'README.md', 'SECURITY.md'] as const;
const CHECKED = /\.(?:ts|mjs|md)$/;

/** Returns what breaks the mechanical rules of prose in comments and in Markdown, or undefined. */
export function badProse(): string | undefined {
  const paths = [...PAGES, ...sourceFiles(FOLDERS).filter((path) => CHECKED.test(path))];
  const problems = paths.flatMap((path) => {
    const text = readFileSync(join(project, path), 'utf8');
    return path.endsWith('.md') ? markdownProblems(path, text) : commentProblems(path, text);
  });
  return problems.length > 0 ? problems.join('\n') : undefined;
}

function markdownProblems(path: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) => proseProblems(line).map((problem) => `${path}:${index + 1}: ${problem}`));
}

/** Checks every comment of a TypeScript or JavaScript file. */
function commentProblems(path: string, text: string): string[] {
  return commentsOf(text).flatMap(({ start, comment }) => {
    const line = text.slice(0, start).split('\n').length;
    const said = comment.replaceAll(/^\/\*\*?|\*\/$|^\s*(?:\*|\/\/) ?/gm, '').trim();
    const problems = comment.startsWith('/**') ? docstringProblems(said) : proseProblems(said);
    return problems.map((problem) => `${path}:${line}: ${problem}`);
  });
}

/** Returns the comments of a source text, which a parser tells from the same characters in a string. */
function commentsOf(text: string): readonly { readonly start: number; readonly comment: string }[] {
  const source = ts.createSourceFile('any.ts', text, ts.ScriptTarget.Latest);
  const found = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    const around = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of around) found.set(pos, text.slice(pos, end));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found].map(([start, comment]) => ({ start, comment })).sort((one, other) => one.start - other.start);
}

if (import.meta.main) {
  const problems = badProse();
  console.log(problems ?? 'No problems found.');
  process.exitCode = problems ? 1 : 0;
}
