import ts from 'typescript';

/** SQL that sets a state. Ends before the condition, which may compare one. */
const SETS_STATE = /\bupdate\b(?:(?!\bwhere\b)[^])*\bset\b(?:(?!\bwhere\b)[^])*(?<![\w.])"?state"?\s*=/i;

/**
 * Returns what breaks the rules of states in a source text, one sentence for each place. A state
 * changes by a method of a repository, or by a method of an entity that has a transition table.
 * @param path decides what the text may do: repositories are named `….repository.ts`
 */
export function stateProblems(path: string, text: string): string[] {
  if (path.endsWith('.repository.ts')) return [];
  const hasTable = /\w+_TRANSITIONS = \{/.test(text);
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const problems: string[] = [];
  const visit = (node: ts.Node): void => {
    const problem = isSqlText(node) ? sqlProblem(node.getText()) : hasTable ? undefined : assignmentProblem(node);
    if (problem) problems.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${problem}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

const isSqlText = (node: ts.Node): boolean =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);

const sqlProblem = (sql: string): string | undefined =>
  SETS_STATE.test(sql) ? 'SQL sets a state. Add a method to the repository of the aggregate.' : undefined;

function assignmentProblem(node: ts.Node): string | undefined {
  const isAssignment = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssignment && ts.isPropertyAccessExpression(node.left) && node.left.name.text === 'state'
    ? 'A state is assigned. Add a method to the entity that checks the transition.'
    : undefined;
}
