import ts from 'typescript';
import { nodesOf } from './code-structure.js';
import { projectText } from './command.js';
import { sourceFiles } from './services/source-files.js';

/** A mechanical rule of plain English. */
interface ProseRule {
  readonly pattern: RegExp;
  /** The standard term. */
  readonly instead: string;
}

/** Words and phrases that have a standard term. */
const WORDS: readonly ProseRule[] = [
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\bcan not\b/i, instead: 'cannot' },
  { pattern: /\b(?:as|by|for|from|of|than|to|with) who\b/i, instead: 'a noun, as in "for users who"' },
  { pattern: /\bgoes on\b/i, instead: 'continues' },
  { pattern: /\bstands? beside\b/i, instead: 'is next to' },
  { pattern: /\b(?:is|are) told\b/i, instead: 'is notified, receives' },
  { pattern: /\blook(?:s|ed) at (?:again|anew|by)\b/i, instead: 'checked' },
  { pattern: /\bwhose doing\b/i, instead: 'who caused it' },
  { pattern: /\bso (?:many|much) (?:of|as are)\b/i, instead: 'a number' },
];

/** A docstring names the thing or says what the function does. */
const DOCSTRING: ProseRule = {
  pattern: /^(?:Of|What|Whatever|Who|Whoever|Whom|Whose|Whether)\b/,
  instead: 'a verb or a noun phrase, for example "Returns …" or "The …"',
};

const FOLDERS = ['apps', 'docs', 'libs', 'sandboxes', 'scripts', 'test'] as const;
const PAGES = ['CONTRIBUTING.md', 'README.md', 'SECURITY.md'] as const;
const CHECKED = /\.(?:ts|mjs|md|html)$/;
/** Files whose strings are data: the words of a language, or examples of what the rules refuse. */
const DATA = [
  'libs/tasks/src/perturbation/',
  'sandboxes/probes/lies.mjs',
  'scripts/prose.spec.ts',
  'test/e2e/probes/table.ts',
];

/**
 * Returns what breaks the mechanical rules of prose in Markdown, templates, comments and strings
 * (texts of the pages, of the CLI and of errors, titles of tests).
 */
export function badProse(): string[] {
  const paths = [...PAGES, ...sourceFiles(FOLDERS).filter((path) => CHECKED.test(path))];
  return paths.flatMap((path) => {
    const text = projectText(path);
    return /\.(?:md|html)$/.test(path) ? lineProblems(path, text) : sourceProblems(path, text);
  });
}

/** Returns what is wrong with a docstring, its comment marks removed; one sentence for each rule that it breaks. */
export function docstringProblems(text: string): string[] {
  const start = DOCSTRING.pattern.exec(text);
  return [
    ...(start ? [`A docstring starts with "${start[0]}". Start with ${DOCSTRING.instead}.`] : []),
    ...proseProblems(text),
  ];
}

/** Returns what is wrong with any other text. */
export function proseProblems(text: string): string[] {
  return WORDS.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(text);
    return found ? [`"${found[0]}": write "${instead}".`] : [];
  });
}

function lineProblems(path: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) => proseProblems(line).map((problem) => `${path}:${index + 1}: ${problem}`));
}

/** Checks every comment and every string of a TypeScript or JavaScript file. */
function sourceProblems(path: string, text: string): string[] {
  const isData = DATA.some((data) => path.startsWith(data));
  return piecesOf(text).flatMap(([start, piece]) => {
    const isComment = piece.startsWith('/');
    if (isData && !isComment) return [];
    const said = piece.replaceAll(/^\/\*\*?|\*\/$|^\s*(?:\*|\/\/) ?/gm, '').trim();
    const line = text.slice(0, start).split('\n').length;
    const problems = piece.startsWith('/**') ? docstringProblems(said) : proseProblems(said);
    return problems.map((problem) => `${path}:${line}: ${problem}`);
  });
}

/** Returns the comments, and the strings and templates with their quotes, after their positions. */
function piecesOf(text: string): readonly (readonly [start: number, piece: string])[] {
  const source = ts.createSourceFile('any.ts', text, ts.ScriptTarget.Latest);
  const found = new Map<number, string>();
  for (const node of nodesOf(source)) {
    const around = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of around) found.set(pos, text.slice(pos, end));
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const start = node.getStart(source);
      found.set(start, text.slice(start, node.end));
    }
  }
  return [...found].sort(([one], [other]) => one - other);
}

if (import.meta.main) {
  const problems = badProse();
  console.log(problems.join('\n') || 'No problems found.');
  process.exitCode = problems.length > 0 ? 1 : 0;
}
