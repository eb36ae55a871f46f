import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './command.js';
import { sourceFiles } from './services/source-files.js';
import { exportProblems } from './services/export-rules.js';
import { executeProblems, stateProblems } from './services/state-rules.js';

/** The other apps have no database. */
const FOLDERS = ['apps/api', 'apps/evaluator', 'libs'] as const;

/**
 * Returns the places outside repositories and entities that change a state, those that execute SQL
 * outside repositories, and the indexes of libs that export too much, or undefined.
 */
export function badStructure(): string | undefined {
  const paths = sourceFiles(FOLDERS).filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'));
  const problems = paths.flatMap((path) => {
    const text = readFileSync(join(project, path), 'utf8');
    return [...stateProblems(path, text), ...executeProblems(path, text), ...exportProblems(path, text)];
  });
  return problems.length > 0 ? problems.join('\n') : undefined;
}
