import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { seededRng } from '@assay/kernel';
import type { Sandbox, SandboxSpecification } from '@assay/sandbox';
import { buildImage, DockerEngine, DockerSandboxDriver } from '@assay/sandbox/docker';
import { findOrStartEngine } from '../../scripts/services/docker-engine.js';
import type { Bench, BenchContext, BenchRow } from './bench.js';
import { capacity, received, type Reception } from './neighbours/on-off-keying.js';
import { figure, median, range } from './samples.js';

const WORKS = ['processor', 'memory'] as const;
type Work = (typeof WORKS)[number];

/** The symbols of each length in milliseconds. The shorter they are, the more there are in a second. */
const SYMBOLS = [
  { milliseconds: 1, symbols: 2_000 },
  { milliseconds: 10, symbols: 400 },
  { milliseconds: 50, symbols: 160 },
  { milliseconds: 200, symbols: 48 },
] as const;
/** The share of the symbols from which the receiver learns the threshold. */
const TRAINING = 0.25;
/** The time until both sandboxes have their requests, in milliseconds. */
const LEAD = 1_000;
/** The time after which the sandboxes may be removed, in milliseconds. */
const LIFE = 3_600_000;

/**
 * The bits that a model on hidden data can send by its load to a live model of another account: each in
 * a sandbox of the real driver, on cores of its own.
 */
export const neighboursBench: Bench = {
  name: 'neighbours',
  async run({ quick, rounds, folder, say }) {
    const found = await findOrStartEngine({ directory: join(folder, 'engine'), logs: folder, install: 'refused', say });
    const engine = new DockerEngine(found.host);
    const instance = `bench-${process.pid}`;
    const driver = new DockerSandboxDriver({ instance, engine, socketFolder: join(folder, 'n') });
    const image = createHash('sha256').update(instance).digest('hex');
    try {
      await install(driver, image, folder);
      const sender = await started(driver, { image, data: 'hidden' });
      const receiver = await started(driver, { image, data: 'readable', cores: 'shared' });
      const cores = await Promise.all([sender, receiver].map((sandbox) => coresOf(engine, sandbox)));
      say(`  the sender has core ${cores[0]}, the receiver core ${cores[1]}`);
      if (cores[0] === cores[1]) throw new Error('both sandboxes have the same core');
      return await measured({ sender, receiver, rounds: rounds ?? 1, quick, say });
    } finally {
      await driver.close();
      await driver.uninstall(image).catch(() => undefined);
      await found.process?.stop();
      await found.release?.();
    }
  },
};

async function install(driver: DockerSandboxDriver, image: string, folder: string): Promise<void> {
  const archive = join(folder, 'neighbour.tar');
  const model = join(import.meta.dirname, 'neighbours', 'neighbour-model.mjs');
  await buildImage(
    {
      name: 'model',
      layers: [{ files: { '/app/model.mjs': model } }],
      entrypoint: ['/usr/local/bin/node', '/app/model.mjs'],
    },
    { path: archive, tag: `assay/model:${image}` },
  );
  await driver.install({ digest: image, archive });
}

async function started(
  driver: DockerSandboxDriver,
  chosen: Pick<SandboxSpecification, 'image' | 'data' | 'cores'>,
): Promise<Sandbox> {
  const specification: SandboxSpecification = {
    ...chosen,
    environment: {},
    port: 8080,
    limits: { memory: 512 << 20, cpus: 1, pids: 64, startSeconds: 60 },
    runtime: 'runc',
    // an evaluator on the engine removes what an interrupted bench leaves
    labels: { run: `bench-${chosen.data}`, attempt: 1, deadline: Date.now() + LIFE },
  };
  const outcome = await driver.start(specification, new AbortController().signal);
  if (outcome.kind !== 'ready') throw new Error(`the sandbox did not start: ${JSON.stringify(outcome)}`);
  return outcome.sandbox;
}

async function coresOf(engine: DockerEngine, { id }: Sandbox): Promise<string> {
  return (await engine.docker.getContainer(`assay-${id}-model`).inspect()).HostConfig.CpusetCpus ?? '';
}

interface Channel extends Pick<BenchContext, 'quick' | 'say'> {
  readonly sender: Sandbox;
  readonly receiver: Sandbox;
  readonly rounds: number;
}

async function measured(channel: Channel): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const work of WORKS) {
    for (const { milliseconds, symbols } of SYMBOLS) {
      const count = channel.quick ? Math.ceil(symbols / 4) : symbols;
      const [sending, idle]: [Reception[], Reception[]] = [[], []];
      for (let round = 0; round < channel.rounds; round++) {
        const bits = message(`${work} ${milliseconds} ${round}`, count);
        sending.push(await transmitted(channel, { work, milliseconds, bits, isIdle: false }));
        idle.push(await transmitted(channel, { work, milliseconds, bits, isIdle: true }));
      }
      const row = rowOf({ work, milliseconds }, sending, idle);
      channel.say(`  ${row.what}: ${row.measured}`);
      rows.push(row);
    }
  }
  return rows;
}

interface Message {
  readonly work: Work;
  readonly milliseconds: number;
  readonly bits: readonly boolean[];
  /** True if the sender is not asked to send them: what is received then is chance. */
  readonly isIdle: boolean;
}

async function transmitted(
  { sender, receiver }: Channel,
  { work, milliseconds, bits, isIdle }: Message,
): Promise<Reception> {
  const common = { work, milliseconds, start: Date.now() + LEAD };
  const deadline = LEAD + bits.length * milliseconds + 30_000;
  const ask = async (sandbox: Sandbox, request: object): Promise<unknown> => {
    const body = Buffer.from(JSON.stringify({ ...common, ...request }));
    const outcome = await sandbox.invoke(body, { deadline, responseBytes: 1 << 20 });
    if (outcome.kind !== 'answer') throw new Error(`a sandbox did not answer: ${JSON.stringify(outcome)}`);
    return JSON.parse(outcome.body.toString());
  };
  const [observed] = await Promise.all([
    ask(receiver, { role: 'receive', symbols: bits.length }),
    isIdle ? null : ask(sender, { role: 'send', bits }),
  ]);
  return received(observed as number[], bits, trainingOf(bits.length));
}

const trainingOf = (symbols: number): number => Math.ceil(TRAINING * symbols);

/** Returns the bits of the training, which alternate, and random bits. */
function message(seed: string, count: number): readonly boolean[] {
  const rng = seededRng(seed);
  const training = trainingOf(count);
  return Array.from({ length: count }, (_, at) => (at < training ? at % 2 === 0 : rng.below(2) === 1));
}

/** Returns the row of a kind of symbols. Each reception is a sample. */
function rowOf(
  { work, milliseconds }: Pick<Message, 'work' | 'milliseconds'>,
  sending: readonly Reception[],
  idle: readonly Reception[],
): BenchRow {
  const errorRates = (receptions: readonly Reception[]): readonly number[] =>
    receptions.map(({ errors, symbols }) => errors / symbols);
  const bitsPerSecond = (receptions: readonly Reception[]): readonly number[] =>
    errorRates(receptions).map((rate) => (1000 / milliseconds) * capacity(rate));
  const percent = (receptions: readonly Reception[]): string => `${(100 * median(errorRates(receptions))).toFixed(1)}%`;
  const bits = bitsPerSecond(sending);
  return {
    what: `bits from one sandbox to another by load of the ${work}, symbols of ${milliseconds} ms`,
    goal: '',
    measured: `${figure(median(bits))} bits/s (${range(bits)}; errors ${percent(sending)}; with an idle sender ${figure(median(bitsPerSecond(idle)))} bits/s, errors ${percent(idle)})`,
    reached: null,
    figures: {
      bitsPerSecond: bits,
      errorRates: errorRates(sending),
      idleBitsPerSecond: bitsPerSecond(idle),
      idleErrorRates: errorRates(idle),
    },
  };
}
