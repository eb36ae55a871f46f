import { build } from './build.js';
import { chosen, commandLine } from './command-line.js';
import { onStopSignal, runCommand } from './command.js';
import { Cleanup } from './services/cleanup.js';
import type { DockerEngine } from './services/docker-engine.js';
import { Progress } from './services/progress.js';
import { bringPackages, bringTestEngine } from './services/test-tools.js';

interface Part {
  readonly name: string;
  readonly about: string;
  /** The npm script and its arguments. */
  readonly command: readonly string[];
  /** The same with little work, to check that the part runs. */
  readonly quick: readonly string[];
}

interface Outcome {
  readonly passed: boolean;
  /** A line of the summary. */
  readonly line: string;
}

const load = ['reads', 'uploads', 'queue', 'boards', 'listeners'];
const parts: readonly Part[] = [
  {
    name: 'probes',
    about: 'every hostile model and archive, each alone, under runc',
    command: ['test:probes'],
    quick: ['test:probes', 'fork-bomb'],
  },
  {
    name: 'probes-gvisor',
    about: 'the same under gVisor',
    command: ['test:probes', '--runtime', 'runsc'],
    quick: ['test:probes', '--runtime', 'runsc', 'fork-bomb'],
  },
  {
    name: 'faults',
    about: 'every fault at every step, on both queues, and the storm of 500 runs',
    command: ['test:faults'],
    quick: ['test:faults', 'test/faults/clock'],
  },
  {
    name: 'fuzz',
    about: '20,000 malformed requests to every operation of the API',
    command: ['test:fuzz'],
    quick: ['test:fuzz'],
  },
  {
    name: 'load',
    about: 'the requirements for reads, uploads, the queue, boards and listeners',
    command: ['bench:load', ...load],
    quick: ['bench:load', '--quick', 'reads'],
  },
  {
    name: 'soak',
    about: 'everything at once for 30 minutes: nothing fails and nothing grows',
    command: ['bench:load', 'soak'],
    quick: ['bench:load', '--quick', 'soak'],
  },
];
/** Number of requests of `fuzz` under --quick. With fewer, it does not reach every operation. */
const QUICK_REQUESTS = '2000';

const usage = `Usage: npm run release-check [-- [--quick] [--no-install] [PART…]]

Runs what takes too long for CI, one part after another, and ends with a summary; the exit code is 0 only if every part passed. All parts
together take hours. Run the parts that a change touches before it is released.

${parts.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}

  --quick       little work in each part, to see that it runs
  --no-install  never install a Debian package`;

const { values, positionals } = commandLine(usage, {
  quick: { type: 'boolean', default: false },
  'no-install': { type: 'boolean', default: false },
});
const selected = chosen(usage, 'part', parts, positionals);
const progress = new Progress((text) => process.stdout.write(text));
const cleanup = new Cleanup('assay-release-check-', progress);

async function main(): Promise<number> {
  const install = values['no-install'] ? 'refused' : 'allowed';
  await bringPackages(install, cleanup);
  const engine = await bringTestEngine(install, cleanup);
  await progress.step('Building', () => build());

  const outcomes: Outcome[] = [];
  for (const part of selected) outcomes.push(await run(part, engine));
  console.log(`\n${outcomes.map(({ line }) => line).join('\n')}`);
  return outcomes.every(({ passed }) => passed) ? 0 : 1;
}

async function run({ name, about, command, quick }: Part, engine: DockerEngine | undefined): Promise<Outcome> {
  console.log(`\n── ${name}: ${about}`);
  const [script, ...parameters] = values.quick ? quick : command;
  const { code, milliseconds } = await runCommand('npm', ['run', '--silent', script!, '--', ...parameters], {
    environment: {
      DOCKER_HOST: engine?.host ?? process.env['DOCKER_HOST'],
      // missing tools are an error, as in CI
      CI: 'true',
      ...(values.quick && { FUZZ_REQUESTS: QUICK_REQUESTS }),
    },
    onOutput: (text) => void process.stdout.write(text),
  });
  const passed = code === 0;
  const minutes = (milliseconds / 60_000).toFixed(1);
  return {
    passed,
    line: `${passed ? '✓' : '✗'} ${name.padEnd(14)} ${passed ? 'passed' : 'FAILED'} after ${minutes} min`,
  };
}

onStopSignal(() => void cleanup.run().then(() => process.exit(1)));
const code = await main().catch((error: unknown) => {
  console.error((error as Error).message);
  return 1;
});
await cleanup.run();
process.exit(code);
