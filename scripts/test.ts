import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { build } from './build.js';
import { check, outcomeText } from './check.js';
import { commandLine, refuseUsage } from './command-line.js';
import { onStopSignal, project, runCommand } from './command.js';
import { Cleanup } from './services/cleanup.js';
import type { DockerEngine } from './services/docker-engine.js';
import {
  countOf,
  countText,
  type FailedTest,
  failedTests,
  failedText,
  type JestReport,
  slowestText,
  specTimes,
  succeeded,
  sum,
  type TestCount,
  type TimedSpec,
} from './services/jest-report.js';
import { Progress } from './services/progress.js';
import { bringPackages, bringTestEngine } from './services/test-tools.js';
import { canMakeNetworks, inOwnNetwork, lanesOf, type ServiceTier, specsOf, type TestPart } from './test-lanes.js';
import { specsBelow, type TestSuite, writeSuites } from './test-suites.js';

const usage = `Usage: scripts/test [--no-install] [TIER…]

Installs what the tests need and runs the tiers check, unit, medium, e2e and faults, or the named ones.
Then it lists the ten slowest specs and the failures. The last line says how many tests and checks passed and
failed; the exit code is 0 only if none failed.

  --no-install  never install a Debian package: tests that miss one say so`;

/** A Jest project, as in jest.config.mjs. */
interface JestProject {
  /** The folders of its specs, unless the specs are listed. */
  readonly folders: readonly string[];
  /**
   * Maximum number of specs in a suite. With more, they share more of what they load; with fewer,
   * all cores finish at about the same time. The specs of `faults` share nothing.
   */
  readonly size: number;
}

type Tier = 'check' | 'unit' | 'medium' | ServiceTier;

const TIERS: Readonly<
  Record<
    Tier,
    {
      /** Timeout of one test in milliseconds. Generous, for busy machines. */
      readonly timeout: number;
      readonly projects: Readonly<Record<string, JestProject>>;
    }
  >
> = {
  check: { timeout: 0, projects: {} },
  unit: {
    timeout: 60_000,
    projects: {
      unit: {
        folders: [
          'apps/api',
          'apps/cli',
          'apps/evaluator',
          'apps/worker',
          'libs',
          'sandboxes',
          'scripts',
          'test/bench',
        ],
        size: 24,
      },
      // its code is transformed in a different way from that of the services
      dashboard: { folders: ['apps/dashboard'], size: 32 },
    },
  },
  medium: { timeout: 120_000, projects: { medium: { folders: ['test/medium'], size: 6 } } },
  e2e: { timeout: 300_000, projects: { e2e: { folders: [], size: 4 } } },
  faults: { timeout: 600_000, projects: { faults: { folders: [], size: 1 } } },
};

const { values, positionals } = commandLine(usage, { 'no-install': { type: 'boolean' } });
const all = Object.keys(TIERS) as Tier[];
const unknown = positionals.find((name) => !all.some((tier) => tier === name));
if (unknown) refuseUsage(usage, `Unknown tier: ${unknown}.`);
const install = values['no-install'] ? 'refused' : 'allowed';
const tiers = all.filter((tier) => positionals.length === 0 || positionals.includes(tier));

/** The spec files that have finished, with their durations. */
const timed: TimedSpec[] = [];
/** The failures of all tiers, listed at the end because parallel lanes mix their output. */
const failures: FailedTest[] = [];
const progress = new Progress((text) => process.stdout.write(text));
const cleanup = new Cleanup('assay-test-run-', progress);
const { directory } = cleanup;

async function main(): Promise<TestCount> {
  // an installation waits for network and disk, so the build uses the cores in the meantime
  const [engine, problem] = await Promise.all([bringTools(), progress.step('Building', buildProblem)]);
  if (problem) progress.say(problem);
  const counts: TestCount[] = problem ? [{ passed: 0, failed: 1, skipped: 0 }] : [];

  // checks run at the same time as the specs that start no service, so that neither leaves a core
  // idle at its end
  const checks = tiers.includes('check') ? runChecks() : undefined;
  for (const tier of tiers) {
    if (tier !== 'check' && !startsServices(tier)) counts.push(await runJest({ tier }, engine));
  }
  counts.push(...(checks ? [await checks] : []), ...(await runLanes(engine)));
  return sum(counts);
}

async function bringTools(): Promise<DockerEngine | undefined> {
  await bringPackages(install, cleanup);
  const isNeeded = tiers.some((tier) => tier === 'medium' || startsServices(tier));
  return isNeeded ? bringTestEngine(install, cleanup) : undefined;
}

const buildProblem = (): Promise<string | undefined> =>
  build().then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );

const startsServices = (tier: Tier): tier is ServiceTier => tier === 'e2e' || tier === 'faults';

async function runLanes(engine: DockerEngine | undefined): Promise<TestCount[]> {
  // an engine on a network address is not reachable from another network namespace
  const reachable = !engine || engine.host.startsWith('unix:');
  const networks = reachable && (await canMakeNetworks()) ? 'own' : 'common';
  const lanes = lanesOf(
    tiers.filter(startsServices).map((tier) => ({ tier, specs: specsOf(tier) })),
    networks,
  );
  const running = lanes.map(async (parts, index) => {
    const counts: TestCount[] = [];
    const lane = lanes.length > 1 ? `${index + 1}/${lanes.length}` : undefined;
    for (const part of parts)
      if (!cleanup.started) counts.push(await runJest({ ...part, lane, network: networks }, engine));
    return counts;
  });
  return (await Promise.all(running)).flat();
}

async function runChecks(): Promise<TestCount> {
  const outcomes = await check((outcome) => progress.say(outcomeText(outcome)));
  const failed = outcomes.filter((outcome) => outcome.problem);
  failures.push(...failed.map(({ name, problem }) => ({ title: `check ${name}`, why: problem })));
  return { passed: outcomes.length - failed.length, failed: failed.length, skipped: 0 };
}

/** The specs that one Jest process runs, and its network. */
interface JestPart extends Partial<Omit<TestPart, 'tier'>> {
  readonly tier: Tier;
  /** The number of the lane and the total, such as `1/3`. Undefined if there is only one. */
  readonly lane?: string | undefined;
  readonly network?: 'own' | 'common';
}

async function runJest(part: JestPart, engine: DockerEngine | undefined): Promise<TestCount> {
  const { tier, lane, network } = part;
  const name = lane ? `${tier} ${lane}` : tier;
  const folder = join(directory, 'suites', name.replace(/\W/g, '-'));
  const suites = suitesOf(part, folder);
  const report = join(directory, `${name.replace(/\W/g, '-')}.json`);
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = [
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    ...Object.keys(TIERS[tier].projects),
    '--forceExit',
    '--json',
    `--outputFile=${report}`,
    `--testTimeout=${TIERS[tier].timeout}`,
    ...workers(tier),
    '--runTestsByPath',
    ...suites.map(({ path }) => path),
  ];
  const command = [process.execPath, [...node, ...jest]] as const;
  // with --json, standard output is the report; the readable output is on standard error
  const { output, milliseconds } = await runCommand(...(network === 'own' ? inOwnNetwork(...command) : command), {
    environment: {
      DOCKER_HOST: engine?.host ?? process.env['DOCKER_HOST'],
      // the namespace that the engine's containers may be in, unlike the specs in a network of
      // their own
      ...(network === 'own' && { ASSAY_ENGINE_NETWORK: `/proc/${process.pid}/ns/net` }),
      CI: 'true',
      FORCE_COLOR: '0',
      NODE_COMPILE_CACHE: join(directory, 'compiled'),
      ASSAY_TEST_SUITES: folder,
    },
    ...(tier !== 'unit' && { onOutput: (text) => void process.stdout.write(text) }),
  });
  if (tier === 'unit') progress.say(output.trim());
  const told = readReport(report);
  const shared = suites.filter((suite) => suite.specs.length > 1);
  if (told) timed.push(...specTimes(told, project, new Map(shared.map((suite) => [suite.path, suite.specs]))));
  failures.push(...(told ? failedTests(told) : [{ title: name, why: 'Jest wrote no report.' }]));
  const count = told ? countOf(told) : { passed: 0, failed: 1, skipped: 0 };
  progress.say(`${name}: ${countText(count)} (${(milliseconds / 1000).toFixed(0)} s)\n`);
  return count;
}

/** Writes the suites of a part into `folder`, with a subfolder for each Jest project. */
function suitesOf({ tier, specs }: JestPart, folder: string): readonly TestSuite[] {
  return Object.entries(TIERS[tier].projects).flatMap(([name, { folders, size }]) =>
    writeSuites(specs ?? folders.flatMap(specsBelow), join(folder, name), size),
  );
}

/**
 * Returns Jest's options for parallelism. End-to-end tests measure models, and services under
 * faults are slow enough already, so each lane runs one spec at a time.
 */
function workers(tier: Tier): readonly string[] {
  if (startsServices(tier)) return ['--runInBand'];
  // specs with servers mostly wait: one worker more than cores keeps all cores busy
  return [`--maxWorkers=${availableParallelism() + (tier === 'medium' ? 1 : 0)}`];
}

function readReport(path: string): JestReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestReport;
  } catch {
    return undefined;
  }
}

/** Ends a run that was interrupted or failed before all tests were counted. */
async function breakOff(why: string): Promise<never> {
  progress.say(why);
  await cleanup.run();
  progress.say(countText({ passed: 0, failed: 1, skipped: 0 }));
  process.exit(1);
}

onStopSignal((signal) => void breakOff(`Stopped by ${signal}.`));
const total = await main().catch((error: unknown) => breakOff((error as Error).message));
await cleanup.run();
if (timed.length > 0) progress.say(slowestText(timed));
if (failures.length > 0) progress.say(failedText(failures, project));
progress.say(countText(total));
process.exit(succeeded(total) ? 0 : 1);
