import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Environment } from '@assay/contracts';
import { Collection } from '@assay/contracts/collection';
import { FAILURES } from '@assay/contracts/models';
import { TaskDefinition, TaskLimits } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { exitCodesText } from '../apps/cli/src/command-failure.js';
import { registeredText } from '../apps/cli/src/format/evaluator-text.js';
import { program } from '../apps/cli/src/program.js';
import { project } from './command.js';

const COLUMNS = 110;

const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...markdownIn('docs')];
const text = (page: string): string => readFileSync(join(project, page), 'utf8');

describe('the documentation', () => {
  it('has a README of at most 150 lines', () => {
    expect(text('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it('links only to files and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      linksOf(text(page))
        .filter((target) => !leadsSomewhere(page, target))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('lists every page in its index', () => {
    const listed = new Set(linksOf(text('docs/README.md')).map((target) => join('docs', target)));
    const missing = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md' && !listed.has(page));
    expect(missing).toEqual([]);
  });

  it(`wraps prose at ${COLUMNS} columns`, () => {
    const long = pages.flatMap((page) =>
      proseOf(text(page))
        .filter((line) => line.length > COLUMNS)
        .map((line) => `${page}: ${line}`),
    );
    expect(long).toEqual([]);
  });

  it('names only source files that exist', () => {
    const files = sourceFiles();
    const named = pages.flatMap((page) =>
      [...text(page).matchAll(/`([\w./-]+\.(?:ts|mjs|cjs|sh))`/g)].map(([, path]) => ({ page, path: path! })),
    );
    const missing = named.filter(({ path }) => !files.some((file) => isNamed(file, path)));
    expect(missing.map(({ page, path }) => `${page}: ${path}`)).toEqual([]);
  });

  it('adds an evaluator with the commands that its registration prints', () => {
    const example = { id: '1', name: 'gpu-1', own: false, token: 'assay_evaluator_…' };
    const commands = registeredText(example, 'https://assay.example.org').match(/(?<=\n {2})\S.*/g);
    expect(commands).toHaveLength(2);
    expect(text('docs/guides/evaluators.md')).toContain(`\`\`\`sh\n${commands!.join('\n')}\n\`\`\``);
  });

  it('describes every setting', () => {
    const settings = [...Object.keys(Environment.shape), ...ownSettings()];
    const described = firstCells('docs/reference/configuration.md').flatMap((cell) => cell.match(/[A-Z_]{4,}/g) ?? []);
    expect(settings.filter((name) => !described.includes(name))).toEqual([]);
  });

  it('describes every failure of a model, and no other', () => {
    const api = text('docs/reference/api.md');
    const section = api.slice(api.indexOf('## Failures of a model'));
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const described = rows.flatMap((row) =>
      codesIn(row.split('|')[1]!).map((code) => [code, row.split('|')[2]!.trim()] as const),
    );
    const expected = Object.entries(FAILURES).map(([code, { fault }]) => [code, fault] as const);
    expect(described.toSorted()).toEqual(expected.toSorted());
  });

  it('describes every key of a task', () => {
    const described = new Set(
      firstCells('docs/reference/task-definition.md')
        .flatMap(codesIn)
        .map((key) => key.split('.')[0]),
    );
    const keys = [TaskDefinition, TaskLimits, Collection].flatMap(({ shape }) => Object.keys(shape));
    const inSections = ['limits', 'collection'];
    expect(keys.filter((key) => !described.has(key) && !inSections.includes(key))).toEqual([]);
  });

  it('describes every command of the CLI', () => {
    const described = new Set(
      firstCells('docs/reference/cli.md')
        .flatMap(codesIn)
        .map((words) => words.split(/[ \\]/)[0]),
    );
    const commands = program().commands.map((command) => command.name());
    expect(commands.filter((name) => name !== 'help' && !described.has(name))).toEqual([]);
  });

  it('describes the exit codes as the CLI does', () => {
    const rows = text('docs/reference/cli.md')
      .replaceAll('`', '')
      .matchAll(/^\| (\d+) +\| (.*?) +\|$/gm);
    const [, ...lines] = exitCodesText().split('\n');
    expect([...rows].map(([, code, meaning]) => `${code!.padStart(5)}  ${meaning}`)).toEqual(lines);
  });
});

function markdownIn(folder: string): string[] {
  return readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    .sort();
}

/** The text without fenced code. */
const unfenced = (markdown: string): string => markdown.replace(/^ *```[^]*?^ *```$/gm, '');

/** Lines of prose: no code, no tables, no addresses that cannot be broken. */
function proseOf(markdown: string): string[] {
  return unfenced(markdown)
    .split('\n')
    .filter((line) => !/^ *\|/.test(line) && !/^ *(?:- |\[[^\]]+\]: )?\S+$/.test(line));
}

/** Relative targets of links and images. */
function linksOf(markdown: string): string[] {
  const prose = unfenced(markdown).replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  const references = [...prose.matchAll(/^\[[^\]]+\]: (\S+)$/gm)].map(([, target]) => target!);
  return [...inline, ...references].filter((target) => !/^[a-z]+:/.test(target));
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(project, file))) return false;
  return anchor === undefined || anchorsOf(text(file)).has(anchor);
}

/** Anchors as GitHub makes them of headings. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = [...unfenced(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The first cell of each row of the tables of a page. */
function firstCells(page: string): string[] {
  return text(page)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(/(?<!\\)\|/)[1]!.trim());
}

const codesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

function ownSettings(): string[] {
  const sources = ['apps/evaluator/src/host/evaluator-settings.ts', 'apps/worker/src/worker-settings.ts'].map(text);
  return [...sources.join('\n').matchAll(/^ {2}(ASSAY_\w+):/gm)].map(([, name]) => name!);
}

const SHORT_FOLDERS: Readonly<Record<string, string>> = {
  api: 'apps/api/src',
  cli: 'apps/cli/src',
  dashboard: 'apps/dashboard/src/app',
  e2e: 'test/e2e',
  evaluator: 'apps/evaluator/src',
  medium: 'test/medium/api',
  worker: 'apps/worker/src',
};

/** Returns whether `file` ends with `path`, which may use a short folder name of docs/security.md. */
function isNamed(file: string, path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  const long = SHORT_FOLDERS[first] === undefined ? path : [SHORT_FOLDERS[first], ...rest].join('/');
  return [path, long].some((each) => file === each || file.endsWith(`/${each}`));
}

function sourceFiles(): string[] {
  const folders = ['apps', 'libs', 'sandboxes', 'scripts', 'test'];
  const inside = (folder: string): string[] =>
    readdirSync(join(project, folder)).flatMap((name) => {
      const path = join(folder, name);
      if (name === 'node_modules') return [];
      return statSync(join(project, path)).isDirectory() ? inside(path) : [path];
    });
  const top = readdirSync(project).filter((name) => statSync(join(project, name)).isFile());
  return [...top, ...folders.flatMap(inside)].map((path) => relative('.', path));
}
