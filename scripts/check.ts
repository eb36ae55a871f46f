import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { build } from './build.js';
import { runNode } from './command.js';
import { generateClient } from './generate-client.js';
import { dashboardTexts, openApiDocument, sources, staleness } from './generated-files.js';
import { badProse } from './prose.js';
import { billOfMaterials } from './sbom.js';
import { programOf } from './services/app-program.js';
import { startPostgres } from './services/embedded-postgres.js';
import { badStructure } from './code-structure.js';
import { supplyChain } from './supply-chain.js';

interface Check {
  readonly name: string;
  /** Returns what is wrong, or undefined. */
  run(): Promise<string | undefined>;
}

export interface CheckOutcome {
  readonly name: string;
  readonly problem: string | undefined;
  readonly milliseconds: number;
}

const built = { done: undefined as Promise<unknown> | undefined };

/** The longest checks first, so that all end at about the same time. */
const checks: readonly Check[] = [
  { name: 'types and lint', run: () => passes('node_modules/oxlint/bin/oxlint') },
  { name: "dashboard's texts", run: () => afterBuild(() => staleness(dashboardTexts)) },
  { name: 'migrations', run: () => afterBuild(missingMigration) },
  { name: 'OpenAPI document', run: () => afterBuild(() => staleness(openApiDocument)) },
  { name: "Angular's lint", run: () => passes('node_modules/eslint/bin/eslint.js', 'apps/dashboard') },
  { name: 'format', run: () => passes('node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.') },
  {
    name: 'dependencies',
    run: () =>
      passes(
        'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
        '--config',
        '.dependency-cruiser.cjs',
        'apps',
        'libs',
      ),
  },
  { name: 'states, SQL and exports', run: () => Promise.resolve(badStructure()) },
  { name: 'prose', run: () => Promise.resolve(badProse()) },
  { name: 'supply chain', run: supplyChain },
  { name: 'bill of materials', run: () => billOfMaterials().then(() => undefined) },
  { name: 'generated sources and pages', run: staleSources },
];

/**
 * Runs all checks, as many at a time as there are cores, and reports each outcome as it arrives.
 */
export async function check(onOutcome: (outcome: CheckOutcome) => void): Promise<readonly CheckOutcome[]> {
  const limit = pLimit(availableParallelism());
  const client = generateClient();
  return Promise.all(
    checks.map((one) =>
      limit(async () => {
        const started = performance.now();
        const problem = await client.then(() => one.run()).catch((error: unknown) => (error as Error).message);
        const outcome = { name: one.name, problem, milliseconds: performance.now() - started };
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

async function staleSources(): Promise<string | undefined> {
  const problems = await Promise.all(sources.map(staleness));
  return problems.filter((problem) => problem !== undefined).join('\n') || undefined;
}

async function passes(...command: readonly string[]): Promise<string | undefined> {
  const { code, output } = await runNode(command);
  return code === 0 ? undefined : output.trim() || `ended with code ${code}`;
}

/** Runs `work` after a build, which is done only once. For checks that run the built code. */
async function afterBuild<T>(work: () => Promise<T>): Promise<T> {
  await (built.done ??= build());
  return work();
}

/** Migrates an empty database, and reports the schema changes that the entities still need. */
async function missingMigration(): Promise<string | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-check-'));
  const server = await startPostgres({
    directory: join(directory, 'postgres'),
    database: 'assay',
    durability: 'none',
    connections: 20,
    log: join(directory, 'postgres.log'),
  });
  try {
    const { code, output } = await runNode([programOf('api', 'migrate'), '--check'], {
      environment: { DATABASE_URL: server.url, ASSAY_HOME: directory },
    });
    return code === 0 ? undefined : output.trim() || `ended with code ${code}`;
  } finally {
    await server.process.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const outcomes = await check((outcome) => console.log(outcomeText(outcome)));
  const failed = outcomes.filter((outcome) => outcome.problem);
  console.log(
    failed.length ? `${failed.length} of ${outcomes.length} checks failed.` : `All ${outcomes.length} checks passed.`,
  );
  process.exitCode = failed.length ? 1 : 0;
}
