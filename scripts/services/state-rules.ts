import ts from 'typescript';

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
 * @param path decides what the text may do: see `MAY_EXECUTE_SQL`
 */
export function executeProblems(path: string, text: string): string[] {
  return MAY_EXECUTE_SQL.test(path) ? [] : problemsOf(path, text, executeProblem);
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

function executeProblem(node: ts.Node): string | undefined {
  return ts.isCallExpression(node) && (callsExecute(node) || QUERY_FUNCTIONS.includes(nameOf(node)))
    ? 'SQL is executed outside a repository. Add a method to the repository of the aggregate.'
    : undefined;
}

/** Use cases have an `execute` as well: without a text, and not of an `EntityManager`. */
function callsExecute(call: ts.CallExpression): boolean {
  const [sql] = call.arguments;
  if (nameOf(call) !== 'execute' || !sql || !ts.isPropertyAccessExpression(call.expression)) return false;
  return isText(sql) || ENTITY_MANAGER.test(call.expression.expression.getText());
}

const nameOf = ({ expression }: ts.CallExpression): string =>
  ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
