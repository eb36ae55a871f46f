import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { build } from './build.js';
import { runNode, successful } from './command.js';
import { generateClient } from './generate-client.js';
import { dashboardTexts, openApiDocument, sources, staleness } from './generated-files.js';
import { badProse } from './prose.js';
import { billOfMaterials } from './sbom.js';
import { programOf } from './services/app-program.js';
import { startTemporaryPostgres } from './services/embedded-postgres.js';
import { badStructure } from './code-structure.js';
import { supplyChain } from './supply-chain.js';

export interface CheckOutcome {
  readonly name: string;
  /** Empty if nothing is wrong. */
  readonly problem: string;
  readonly milliseconds: number;
}

let built: Promise<unknown> | undefined;

/**
 * The checks by name: each returns or throws what is wrong. The longest first, so that all end at
 * about the same time.
 */
const checks: Readonly<Record<string, () => readonly string[] | Promise<readonly string[]>>> = {
  'types and lint': () => passes('oxlint/bin/oxlint'),
  "dashboard's texts": () => afterBuild(() => staleness(dashboardTexts)),
  migrations: () => afterBuild(missingMigration),
  'OpenAPI document': () => afterBuild(() => staleness(openApiDocument)),
  "Angular's lint": () => passes('eslint/bin/eslint.js', 'apps/dashboard'),
  format: () => passes('prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.'),
  dependencies: () =>
    passes('dependency-cruiser/bin/dependency-cruiser.mjs', '--config', '.dependency-cruiser.cjs', 'apps', 'libs'),
  'states, SQL and exports': badStructure,
  prose: badProse,
  'supply chain': supplyChain,
  'bill of materials': () => billOfMaterials().then(() => []),
  'generated sources and pages': async () => (await Promise.all(sources.map(staleness))).flat(),
};

/**
 * Runs all checks, as many at a time as there are cores, and reports each outcome as it arrives.
 */
export async function check(onOutcome: (outcome: CheckOutcome) => void): Promise<readonly CheckOutcome[]> {
  const limit = pLimit(availableParallelism());
  const client = generateClient();
  return Promise.all(
    Object.entries(checks).map(([name, run]) =>
      limit(async () => {
        const started = performance.now();
        const problem = await client.then(run).then(
          (problems) => problems.join('\n'),
          (error: unknown) => (error as Error).message,
        );
        const outcome = { name, problem, milliseconds: performance.now() - started };
        onOutcome(outcome);
        return outcome;
      }),
    ),
  );
}

/** Formats an outcome as a line, with the problem below it. */
export function outcomeText({ name, problem, milliseconds }: CheckOutcome): string {
  const line = `${problem ? '✗' : '✓'} ${name} (${(milliseconds / 1000).toFixed(1)} s)`;
  return problem ? `${line}\n  ${problem.replaceAll('\n', '\n  ')}` : line;
}

/** @param program its path in node_modules */
async function passes(program: string, ...parameters: readonly string[]): Promise<readonly string[]> {
  await successful(runNode([`node_modules/${program}`, ...parameters]));
  return [];
}

/** Runs `work` after a build, which is done only once. For checks that run the built code. */
async function afterBuild<T>(work: () => Promise<T>): Promise<T> {
  await (built ??= build());
  return work();
}

/** Migrates an empty database, and reports the schema changes that the entities still need. */
async function missingMigration(): Promise<readonly string[]> {
  await using server = await startTemporaryPostgres();
  const environment = { DATABASE_URL: server.url, ASSAY_HOME: server.directory };
  await successful(runNode([programOf('api', 'migrate'), '--check'], { environment }));
  return [];
}

if (import.meta.main) {
  const outcomes = await check((outcome) => console.log(outcomeText(outcome)));
  const failed = outcomes.filter((outcome) => outcome.problem);
  console.log(
    failed.length ? `${failed.length} of ${outcomes.length} checks failed.` : `All ${outcomes.length} checks passed.`,
  );
  process.exitCode = failed.length ? 1 : 0;
}
