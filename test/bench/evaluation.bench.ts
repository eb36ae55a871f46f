import { availableParallelism } from 'node:os';
import { runCommand, successful } from '../../scripts/command.js';
import type { Bench, BenchContext, BenchRow } from './bench.js';
import { examplesFile } from './examples-file.js';
import { figure, inTurn, median, range, ratios } from './samples.js';
import { costlyBundle, packed } from './submissions.js';

/** The minimum cost of the model per example in microseconds, with its best batch size. */
const COST = 200;
const FEWEST_LAYERS = 16;
/**
 * The batch sizes tried in process: through the platform's runner, and with each batch padded to
 * its longest text.
 */
const BATCHES = [16, 32, 64, 128].flatMap((size) => [String(size), `plain:${size}`]);

interface InProcess {
  readonly examples: number;
  readonly seconds: number;
  /** The processor time. Does not depend on other load on the machine. */
  readonly cpuSeconds: number;
}

/**
 * An ONNX model on hidden examples: the time of the offline pass in the sandbox, up to the commit
 * of its scores, divided by the time of the same model in its own process on the same core with its
 * best batch size.
 */
export const evaluationBench: Bench = {
  name: 'evaluation',
  async run(context) {
    const { quick, rounds, folder, say } = context;
    const rows = quick ? 5_000 : 100_000;
    const examples = await examplesFile(folder, rows, 'evaluation');
    const layers = await layersFor(context, examples);
    const batch = await bestBatch(context, await costlyBundle(folder, layers, 0), examples);
    const service = await context.service();
    const shares: number[] = [];

    say(`${rows} examples, ${layers} layers, in process with ${batch} a batch; a model of its own each round`);
    const { inProcess, platform } = await inTurn(context, rounds ?? (quick ? 1 : 3), 's', {
      inProcess: async (round) => (await passInProcess(await bundle(round), examples, batch)).seconds,
      platform: async (round) => {
        const task = await service.task(examples);
        service.clock.taken();
        const { model } = await service.evaluate(task, 'onnx', await packed(await bundle(round)));
        const { measures } = model.evaluations[0]!;
        const [pass] = service.clock.taken();
        shares.push(pass!.seconds - rows / measures.throughput!);
        return pass!.seconds;
      },
    });

    const ratio = ratios(platform, inProcess);
    const cost = (1e6 * median(inProcess)) / rows;
    say(`  of the platform's pass, after the last answer until the commit: ${shares.map(figure).join(', ')} s`);
    const row: BenchRow = {
      what: `offline pass through commit ÷ the same model in process (${rows.toLocaleString('en-US')} examples, ${figure(cost)} µs each)`,
      goal: '≤ 1.10',
      measured: `${figure(median(ratio))} (${range(ratio)})`,
      reached: median(ratio) <= 1.1,
    };
    return [row];

    function bundle(round: number): Promise<string> {
      return costlyBundle(folder, layers, round + 1);
    }
  },
};

/** Returns the number of layers for which the model costs at least `COST`. */
async function layersFor({ folder, say }: BenchContext, examples: string): Promise<number> {
  for (let layers = FEWEST_LAYERS; ; layers += 16) {
    const bundle = await costlyBundle(folder, layers, 0);
    const { cpuSeconds } = await passInProcess(bundle, examples, '128', 5_000);
    const cost = (cpuSeconds / 5_000) * 1e6;
    say(`  ${layers} layers: ${figure(cost)} µs an example`);
    // with a margin, because the machine may be faster at another moment
    if (cost >= 1.2 * COST) return layers;
  }
}

async function bestBatch({ say }: BenchContext, bundle: string, examples: string): Promise<string> {
  const found: { batch: string; cpuSeconds: number }[] = [];
  for (const batch of [...BATCHES, ...BATCHES]) {
    const { cpuSeconds, examples: done } = await passInProcess(bundle, examples, batch, 5_000);
    say(`  in process, batch ${batch}: ${figure((1e6 * cpuSeconds) / done)} µs an example`);
    found.push({ batch, cpuSeconds });
  }
  return found.reduce((best, each) => (each.cpuSeconds < best.cpuSeconds ? each : best)).batch;
}

/** Runs on the last core, which is the one that the model in the sandbox has to itself. */
async function passInProcess(bundle: string, examples: string, batch: string, rows?: number): Promise<InProcess> {
  const script = ['test/bench/in-process.mjs', bundle, examples, batch, ...(rows === undefined ? [] : [String(rows)])];
  const core = String(availableParallelism() - 1);
  const { stdout } = await successful(runCommand('taskset', ['-c', core, process.execPath, ...script]));
  return JSON.parse(stdout) as InProcess;
}
