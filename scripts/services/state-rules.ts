import ts from 'typescript';

/** SQL that sets a state. Ends before the condition, which may compare one. */
const SETS_STATE = /\bupdate\b(?:(?!\bwhere\b)[^])*\bset\b(?:(?!\bwhere\b)[^])*(?<![\w.])"?state"?\s*=/i;

/** The libs that hold all their SQL in repositories. Add a lib once it does. */
const LIBS_WITHOUT_OTHER_SQL = [
  'accounts',
  'application',
  'collection',
  'contracts',
  'kernel',
  'observability',
  'sandbox',
  'scoring',
  'storage',
];
/** The files that may hold SQL: repositories, and what a lib declares for all contexts. */
const MAY_HOLD_SQL = /(?:\.repository|\/personal-data|\/blob-references)\.ts$/;
/** An object that is an `EntityManager` by its name, such as `this.em.fork()`. */
const ENTITY_MANAGER = /(?:^|\.)(?:em|tx)(?:\.fork\(.*\))?$/;

type Rule = (node: ts.Node) => string | undefined;

/**
 * Returns what breaks the rules of states in a source text, one sentence for each place. A state
 * changes by a method of a repository, or by a method of an entity that has a transition table.
 * @param path decides what the text may do: repositories are named `….repository.ts`
 */
export function stateProblems(path: string, text: string): string[] {
  if (path.endsWith('.repository.ts')) return [];
  const hasTable = /\w+_TRANSITIONS = \{/.test(text);
  return problemsOf(path, text, (node) =>
    isText(node) ? sqlProblem(node.getText()) : hasTable ? undefined : assignmentProblem(node),
  );
}

/**
 * Returns where a source text executes SQL outside a repository, one sentence for each place.
 * Checks the libs that hold all their SQL in repositories.
 * @param path decides what the text may do: see `MAY_HOLD_SQL`
 */
export function executeProblems(path: string, text: string): string[] {
  const isChecked = LIBS_WITHOUT_OTHER_SQL.some((lib) => path.startsWith(`libs/${lib}/`)) && !MAY_HOLD_SQL.test(path);
  return isChecked ? problemsOf(path, text, executeProblem) : [];
}

function problemsOf(path: string, text: string, rule: Rule): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const problems: string[] = [];
  const visit = (node: ts.Node): void => {
    const problem = rule(node);
    if (problem) problems.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${problem}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

const isText = (node: ts.Node): boolean => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

const sqlProblem = (sql: string): string | undefined =>
  SETS_STATE.test(sql) ? 'SQL sets a state. Add a method to the repository of the aggregate.' : undefined;

function assignmentProblem(node: ts.Node): string | undefined {
  const isAssignment = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssignment && ts.isPropertyAccessExpression(node.left) && node.left.name.text === 'state'
    ? 'A state is assigned. Add a method to the entity that checks the transition.'
    : undefined;
}

/** Use cases and typed queries have an `execute` as well: without a text, or on another object. */
function executeProblem(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: object, name } = node.expression;
  const [sql] = node.arguments;
  return name.text === 'execute' && sql && (isText(sql) || ENTITY_MANAGER.test(object.getText()))
    ? 'SQL is executed outside a repository. Add a method to the repository of the aggregate.'
    : undefined;
}
