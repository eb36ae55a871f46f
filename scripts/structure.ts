import { join } from 'node:path';
import Table from 'cli-table3';
import ts from 'typescript';
import { nodesOf } from './code-structure.js';
import { commandLine } from './command-line.js';
import { project, projectText } from './command.js';
import { sourceFiles } from './services/source-files.js';

const usage = `Usage: npm run structure

Measures the hand-written TypeScript of the project: files, lines, statements, functions and exported names, and
the files that name one metric, one route or one event. Tests and generated files are left out.`;

/** The measures of one file. */
interface FileMeasures {
  readonly path: string;
  readonly lines: number;
  /** Lines that have code, without blank lines and comments. */
  readonly code: number;
  readonly statements: number;
  /** Lines of each function that has a body in braces. */
  readonly functions: readonly number[];
}

/** Facts that some files repeat: the fewer files name one, the fewer have to change with another of its kind. */
const FACTS: Readonly<Record<string, RegExp>> = {
  'the metric macro_f1': /\bmacro_f1\b/,
  'the route to withdraw a model': /models\/(?::id|\{id\})\/withdraw\b/,
  'the event round.closed': /['"]round\.closed['"]/,
};

/** The bounds of CONTRIBUTING.md, in lines. */
const LONG_FILE = 250;
const LONG_FUNCTION = 25;

commandLine(usage, {});
const paths = sourceFiles(['apps', 'libs', 'sandboxes', 'scripts']).filter(
  (path) => path.endsWith('.ts') && !/\.(?:spec|d)\.ts$/.test(path),
);
const measures = paths.map(measuresOf);
const packages = Map.groupBy(measures, ({ path }) => /^(?:scripts|sandboxes|(?:apps|libs)\/[^/]+)/.exec(path)![0]);
const tsconfig: unknown = ts.parseConfigFileTextToJson('tsconfig.json', projectText('tsconfig.json')).config;
const program = ts.createProgram(
  [...packages.keys()].filter((name) => name.startsWith('libs/')).map(indexOf),
  ts.parseJsonConfigFileContent(tsconfig, ts.sys, project).options,
);
const table = new Table({
  head: ['package', 'files', 'lines', 'code', 'statements', 'functions', 'median', 'exports'],
  colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right'],
  style: { head: [], border: [] },
});
for (const [name, files] of [...packages, ['all', measures] as const]) {
  const functions = functionsOf(files);
  table.push([
    name,
    files.length,
    sumOf(files, 'lines'),
    sumOf(files, 'code'),
    sumOf(files, 'statements'),
    functions.length,
    quantile(functions, 0.5),
    name.startsWith('libs/') ? exportsOf(name) : '',
  ]);
}
console.log(table.toString());

const functions = functionsOf(measures);
const long = functions.filter((lines) => lines > LONG_FUNCTION).length;
console.log(
  `Functions: ${quantile(functions, 0.5)} lines at the median, ${quantile(functions, 0.9)} at the 90th percentile, ${functions.at(-1)} at most; ${long} have more than ${LONG_FUNCTION}.`,
);
const longFiles = measures.filter(({ lines }) => lines > LONG_FILE);
console.log(`Files: ${longFiles.length} of ${measures.length} have more than ${LONG_FILE} lines.`);
for (const [fact, pattern] of Object.entries(FACTS)) {
  const naming = paths.filter((path) => path !== 'scripts/structure.ts' && pattern.test(projectText(path)));
  console.log([`${naming.length} files name ${fact}:`, ...naming].join('\n  '));
}

function measuresOf(path: string): FileMeasures {
  const source = ts.createSourceFile(path, projectText(path), ts.ScriptTarget.Latest);
  const nodes = nodesOf(source);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const codeLines = tokensOf(source, source).flatMap((token) => {
    const first = lineOf(token.getStart(source));
    return Array.from({ length: lineOf(token.end) - first + 1 }, (_, index) => first + index);
  });
  return {
    path,
    lines: lineOf(source.end),
    code: new Set(codeLines).size,
    statements: nodes.filter((node) => ts.isStatement(node) && !ts.isBlock(node)).length,
    functions: nodes
      .filter((node) => ts.isFunctionLike(node) && 'body' in node && node.body && ts.isBlock(node.body))
      .map((node) => lineOf(node.end) - lineOf(node.getStart(source)) + 1),
  };
}

/** Returns the tokens of a node that are not empty, without comments. */
function tokensOf(node: ts.Node, source: ts.SourceFile): ts.Node[] {
  const children = node.getChildren(source).filter(({ kind }) => kind !== ts.SyntaxKind.JSDoc);
  if (children.length > 0) return children.flatMap((child) => tokensOf(child, source));
  return node.end > node.getStart(source) ? [node] : [];
}

/** Returns the number of names that the index of a lib exports, types included. */
function exportsOf(lib: string): number {
  const checker = program.getTypeChecker();
  const symbol = checker.getSymbolAtLocation(program.getSourceFile(indexOf(lib))!);
  return symbol ? checker.getExportsOfModule(symbol).length : 0;
}

function indexOf(lib: string): string {
  return join(project, lib, 'src/index.ts');
}

/** Returns the lengths of all functions, in ascending order. */
function functionsOf(files: readonly FileMeasures[]): number[] {
  return files.flatMap((file) => file.functions).toSorted((one, other) => one - other);
}

function sumOf(files: readonly FileMeasures[], what: 'lines' | 'code' | 'statements'): number {
  return files.reduce((sum, file) => sum + file[what], 0);
}

/** Returns a quantile of sorted values. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}
