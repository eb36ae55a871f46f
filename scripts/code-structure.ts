import ts from 'typescript';
import { projectText } from './command.js';
import { sourceFiles } from './services/source-files.js';

/** The other apps have no database. */
const FOLDERS = ['apps/api', 'apps/evaluator', 'apps/worker', 'libs'] as const;

/** The files that others may import of a lib: its index, and the indexes of its folders. */
const ENTRY_POINT = /^libs\/[^/]+\/src\/(?:[a-z-]+\/)?index\.ts$/;
/** The most names that an entry point exports. */
const MOST_NAMES = 25;

/** SQL that sets a state. Ends before the condition, which may compare one. */
const SETS_STATE = /\bupdate\b(?:(?!\bwhere\b)[^])*\bset\b(?:(?!\bwhere\b)[^])*(?<![\w.])"?state"?\s*=/i;

/**
 * The files that may execute SQL: repositories, what a lib declares for all contexts, the
 * infrastructure below the contexts (locks, notifications, privileges, the tables of the queue), and
 * backups, which copy all tables.
 */
const MAY_EXECUTE_SQL =
  /(?:\.repository|\/personal-data|\/blob-references)\.ts$|^(?:libs\/persistence|libs\/jobs|apps\/api\/src\/backup)\//;
/** An object that is an `EntityManager` by its name, such as `this.em.fork()`. */
const ENTITY_MANAGER = /(?:^|\.)(?:em|tx)(?:\.fork\(.*\))?$/;

/** Functions that execute SQL, or return a query builder that does. */
const QUERY_FUNCTIONS = ['preparedRows', 'getKysely'];

interface Rule {
  readonly isBrokenBy: (node: ts.Node) => boolean;
  readonly why: string;
}

const NO_SQL_OF_STATES: Rule = {
  isBrokenBy: (node) => isText(node) && SETS_STATE.test(node.getText()),
  why: 'SQL sets a state. Add a method to the repository of the aggregate.',
};

const NO_ASSIGNED_STATE: Rule = {
  isBrokenBy: (node) =>
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    ts.isPropertyAccessExpression(node.left) &&
    node.left.name.text === 'state',
  why: 'A state is assigned. Add a method to the entity that checks the transition.',
};

const NO_SQL: Rule = {
  isBrokenBy: (node) => ts.isCallExpression(node) && (callsExecute(node) || QUERY_FUNCTIONS.includes(nameOf(node))),
  why: 'SQL is executed outside a repository. Add a method to the repository of the aggregate.',
};

/**
 * Returns the places outside repositories and entities that change a state, those that execute SQL
 * outside repositories, and the indexes of libs that export too much.
 */
export function badStructure(): string[] {
  const paths = sourceFiles(FOLDERS).filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'));
  return paths.flatMap((path) => {
    const text = projectText(path);
    return [...stateProblems(path, text), ...executeProblems(path, text), ...exportProblems(path, text)];
  });
}

/**
 * Returns what breaks the rules of exports in a source text, one sentence for each: the index of a
 * lib, and of a folder of a lib, names what it exports, at most 25 names.
 */
export function exportProblems(path: string, text: string): string[] {
  if (!ENTRY_POINT.test(path)) return [];
  const exports = ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements.filter(ts.isExportDeclaration);
  const names = exports.flatMap(({ exportClause }) =>
    exportClause && ts.isNamedExports(exportClause) ? exportClause.elements.map(({ name }) => name.text) : [],
  );
  return [
    ...(exports.some(({ exportClause }) => !exportClause) ? [`${path}: export * hides what it exports. Name it.`] : []),
    ...(names.length > MOST_NAMES
      ? [
          `${path}: ${names.length} names are exported, at most ${MOST_NAMES} may be. Give a folder an index of its own.`,
        ]
      : []),
  ];
}

/**
 * Returns what breaks the rules of states in a source text, one sentence for each place. A state
 * changes by a method of a repository, or by a method of an entity that has a transition table.
 * @param path decides what the text may do: repositories are named `….repository.ts`
 */
export function stateProblems(path: string, text: string): string[] {
  if (path.endsWith('.repository.ts')) return [];
  const hasTable = /\w+_TRANSITIONS = \{/.test(text);
  return problemsOf(path, text, hasTable ? [NO_SQL_OF_STATES] : [NO_SQL_OF_STATES, NO_ASSIGNED_STATE]);
}

/**
 * Returns where a source text executes SQL outside a repository, one sentence for each place.
 * @param path decides what the text may do: see `MAY_EXECUTE_SQL`
 */
export function executeProblems(path: string, text: string): string[] {
  return MAY_EXECUTE_SQL.test(path) ? [] : problemsOf(path, text, [NO_SQL]);
}

function problemsOf(path: string, text: string, rules: readonly Rule[]): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return nodesOf(source).flatMap((node) =>
    rules
      .filter(({ isBrokenBy }) => isBrokenBy(node))
      .map(({ why }) => `${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${why}`),
  );
}

/** Returns a node and all nodes below it, in the order of the source text. */
export function nodesOf(node: ts.Node, found: ts.Node[] = []): readonly ts.Node[] {
  found.push(node);
  ts.forEachChild(node, (child) => void nodesOf(child, found));
  return found;
}

const isText = (node: ts.Node): boolean => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** Use cases have an `execute` as well: without a text, and not of an `EntityManager`. */
function callsExecute(call: ts.CallExpression): boolean {
  const [sql] = call.arguments;
  if (nameOf(call) !== 'execute' || !sql || !ts.isPropertyAccessExpression(call.expression)) return false;
  return isText(sql) || ENTITY_MANAGER.test(call.expression.expression.getText());
}

const nameOf = ({ expression }: ts.CallExpression): string =>
  ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
