import { build } from './build.js';
import { commandLine, refuseUsage } from './command-line.js';
import { runCommand } from './command.js';
import { Cleanup } from './services/cleanup.js';
import type { DockerEngine } from './services/docker-engine.js';
import { Progress } from './services/progress.js';
import { bringEngine, bringPackages } from './services/test-tools.js';

interface Part {
  readonly name: string;
  readonly about: string;
  /** The npm script and its arguments. */
  readonly command: readonly string[];
  /** The same with little work, to check that the part runs. */
  readonly quick: readonly string[];
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

const progress = new Progress((text) => process.stdout.write(text));
const cleanup = new Cleanup('assay-release-check-', progress);

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
}

async function main(): Promise<number> {
  const { values, positionals } = commandLine(usage, {
    quick: { type: 'boolean', default: false },
    'no-install': { type: 'boolean', default: false },
  });
  const unknown = positionals.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0) refuseUsage(usage, `Unknown part: ${unknown.join(', ')}.`);
  const chosen = parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

  const tools = {
    install: values['no-install'] ? 'refused' : 'allowed',
    directory: cleanup.directory,
    progress,
  } as const;
  await bringPackages(tools);
  const engine = await bringEngine(tools);
  cleanup.add(async () => {
    await engine?.process?.stop();
    await engine?.release?.();
  });
  await progress.step('Building', () => build().then(() => undefined));

  const outcomes: Outcome[] = [];
  for (const part of chosen) outcomes.push(await run(part, values.quick, engine));
  console.log(`\n${outcomes.map(lineOf).join('\n')}`);
  return outcomes.every(({ passed }) => passed) ? 0 : 1;
}

async function run(part: Part, quick: boolean, engine: DockerEngine | undefined): Promise<Outcome> {
  const { name, about } = part;
  console.log(`\n── ${name}: ${about}`);
  const [script, ...parameters] = quick ? part.quick : part.command;
  const { code, milliseconds } = await runCommand('npm', ['run', '--silent', script!, '--', ...parameters], {
    environment: {
      DOCKER_HOST: engine?.host ?? process.env['DOCKER_HOST'],
      // missing tools are an error, as in CI
      CI: 'true',
      ...(quick && { FUZZ_REQUESTS: QUICK_REQUESTS }),
    },
    onOutput: (text) => void process.stdout.write(text),
  });
  return { name, passed: code === 0, seconds: milliseconds / 1000 };
}

const lineOf = ({ name, passed, seconds }: Outcome): string =>
  `${passed ? '✓' : '✗'} ${name.padEnd(14)} ${passed ? 'passed' : 'FAILED'} after ${(seconds / 60).toFixed(1)} min`;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void cleanup.run().then(() => process.exit(1)));
}
const code = await main().catch((error: unknown) => {
  console.error((error as Error).message);
  return 1;
});
await cleanup.run();
process.exit(code);
