import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './command.js';
import { sourceFiles } from './services/source-files.js';
import { stateProblems } from './services/state-rules.js';

const FOLDERS = ['apps/api', 'apps/evaluator', 'libs'] as const;

/** Returns the places outside repositories and entities that change a state, or undefined. */
export function badStateChanges(): string | undefined {
  const paths = sourceFiles(FOLDERS).filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'));
  const problems = paths.flatMap((path) => stateProblems(path, readFileSync(join(project, path), 'utf8')));
  return problems.length > 0 ? problems.join('\n') : undefined;
}
