import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.js';
import { check, outcomeText } from './check.js';
import { runNode } from './command.js';
import { findProgram, installPackages, whyNotInstall } from './services/debian-packages.js';
import { type DockerEngine, findOrStartEngine } from './services/docker-engine.js';
import { Progress } from './services/progress.js';
import { countOf, countText, type JestReport, succeeded, sum, type TestCount } from './services/test-count.js';

const usage = `Usage: scripts/test [--no-install] [TIER…]

Brings what the tests need and runs the tiers check, unit, medium and e2e, or those that are named.
The last line says how many tests and checks passed and failed; the exit code is 0 only if none failed.

  --no-install  never install a Debian package: tests that miss one say so`;

const TIERS = ['check', 'unit', 'medium', 'e2e'] as const;
type Tier = (typeof TIERS)[number];

/** Debian's packages that tests need, by a program of each. The Docker engine is brought where none answers. */
const packages = { 'redis-server': 'redis-server', runsc: 'runsc', chromium: 'chromium' } as const;

const directory = mkdtempSync(join(tmpdir(), 'assay-test-run-'));
const progress = new Progress((text) => process.stdout.write(text));

async function main(): Promise<TestCount> {
  const { install, tiers } = readOptions();
  if (install === 'allowed') await bringPackages();
  const engine = tiers.includes('e2e') || tiers.includes('medium') ? await bringEngine(install) : undefined;
  onEnd(async () => engine?.process?.stop());

  const built = await progress.step('Building', () => build().then(() => undefined, problem));
  if (built) progress.say(built);
  const counts = built ? [{ passed: 0, failed: 1, skipped: 0 }] : [];

  // checks are programs of one thread each and unit specs are short: together they fill the cores. The others start
  // servers and measure, so they run by themselves.
  const run = (tier: Tier): Promise<TestCount> => (tier === 'check' ? runChecks() : runJest(tier, engine));
  const [together, alone] = [tiers.filter(isQuick), tiers.filter((tier) => !isQuick(tier))];
  counts.push(...(await Promise.all(together.map(run))));
  for (const tier of alone) counts.push(await run(tier));
  return sum(counts);
}

const isQuick = (tier: Tier): boolean => tier === 'check' || tier === 'unit';

async function bringPackages(): Promise<void> {
  const missing = Object.entries(packages).flatMap(([program, name]) => (findProgram(program) ? [] : [name]));
  if (missing.length === 0) return;
  const obstacle = whyNotInstall();
  if (obstacle) return progress.say(`Without ${missing.join(', ')}: they can't be installed because ${obstacle}.`);
  await progress
    .step(`Installing ${missing.join(', ')}`, () => installPackages(missing, join(directory, 'apt.log')))
    .catch((error: unknown) => progress.say(problem(error)));
}

/** Without an engine the tiers still run: the tests that need one say so. */
function bringEngine(install: 'allowed' | 'refused'): Promise<DockerEngine | undefined> {
  return progress
    .step('Looking for a Docker engine', async (detail) => {
      const plan = { directory: join(directory, 'docker'), logs: directory, install };
      const engine = await findOrStartEngine({ ...plan, say: (text) => progress.say(text) });
      detail(`${engine.version} ${engine.process ? 'started privately' : 'found'} on ${engine.host}`);
      return engine;
    })
    .catch((error: unknown) => {
      progress.say(problem(error));
      return undefined;
    });
}

async function runChecks(): Promise<TestCount> {
  const outcomes = await check((outcome) => progress.say(outcomeText(outcome)));
  const failed = outcomes.filter((outcome) => outcome.problem).length;
  return { passed: outcomes.length - failed, failed, skipped: 0 };
}

async function runJest(tier: Tier, engine: DockerEngine | undefined): Promise<TestCount> {
  const report = join(directory, `${tier}.json`);
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const { output, milliseconds } = await runNode(
    [...jest, '--selectProjects', tier, '--json', `--outputFile=${report}`, '--silent=false'],
    {
      environment: { DOCKER_HOST: engine?.host ?? process.env['DOCKER_HOST'], CI: 'true', FORCE_COLOR: '0' },
    },
  );
  const count = readReport(report) ?? { passed: 0, failed: 1, skipped: 0 };
  progress.say(`${output.trim()}\n${tier}: ${countText(count)} (${(milliseconds / 1000).toFixed(0)} s)\n`);
  return count;
}

function readReport(path: string): TestCount | undefined {
  try {
    return countOf(JSON.parse(readFileSync(path, 'utf8')) as JestReport);
  } catch {
    return undefined;
  }
}
