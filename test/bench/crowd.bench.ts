import { writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SubmitModel } from '@assay/contracts/models';
import { seededRng } from '@assay/kernel';
import type { Bench, BenchContext, BenchRow } from './bench.js';
import { LABELS, type BenchService } from './bench-service.js';
import { examplesFile } from './examples-file.js';
import { type ModelTimes, timesOf } from './model-times.js';
import { figure, median, quantile, range } from './samples.js';
import { costlyBundle, nullImage, packed } from './submissions.js';

interface Size {
  readonly owners: number;
  /** Seconds within which all models are submitted. */
  readonly seconds: number;
  /** The number of models of each kind that are measured alone. */
  readonly alone: number;
  /** The number of models that one owner queues at once. */
  readonly queued: number;
}

/** Seconds from the submission of a model that has the host to itself. */
interface Alone {
  readonly scored: number;
  /** Until its run has ended, which also compares repeated answers. */
  readonly ended: number;
}

const FULL: Size = { owners: 20, seconds: 60, alone: 4, queued: 40 };
const QUICK: Size = { owners: 4, seconds: 12, alone: 2, queued: 8 };
const EXAMPLES = 1_000;
const KINDS = ['container', 'onnx', 'predictions'] as const satisfies readonly SubmitModel['kind'][];
/** The runs that a host runs at the same time, for the goals. */
const SLOTS = availableParallelism();

/** Many owners at once: the time until their models are scored, their shares of one host, and the cost of a run. */
export const crowdBench: Bench = {
  name: 'crowd',
  async run(context) {
    const size = context.quick ? QUICK : FULL;
    const examples = await examplesFile(context.folder, EXAMPLES, 'crowd');
    const crowd = new Crowd(context, await context.service(), examples, size);
    return [
      ...(await crowd.atOnce('public')),
      ...(context.quick ? [] : await crowd.atOnce('hidden')),
      await crowd.besideLongQueue(),
      await crowd.ownTime(),
    ];
  },
};

class Crowd {
  private submitted = 0;

  constructor(
    private readonly context: BenchContext,
    private readonly service: BenchService,
    private readonly examples: string,
    private readonly size: Size,
  ) {}

  /** Compares the models of all owners, submitted within a short time, with models that have the host to themselves. */
  async atOnce(visibility: 'hidden' | 'public'): Promise<readonly BenchRow[]> {
    const { owners, seconds } = this.size;
    const { say } = this.context;
    const task = await this.service.task(this.examples, {}, visibility);
    const prepared: { readonly kind: SubmitModel['kind']; readonly owner: string; readonly artifact: string }[] = [];
    for (let owner = 0; owner < owners; owner++) {
      const name = `owner-${owner}`;
      // registers the user before the clock starts
      await this.service.world.user(name);
      for (const kind of KINDS) prepared.push({ kind, owner: name, artifact: await this.artifact(kind) });
    }
    const before = await this.alone(task);

    say(`  ${prepared.length} models of ${owners} owners, ${visibility} data (load ${loadavg()[0]!.toFixed(1)})`);
    const ids = await Promise.all(
      prepared.map(async ({ kind, owner, artifact }, place) => {
        await sleep((1000 * seconds * place) / prepared.length);
        return this.submit(task, kind, artifact, owner);
      }),
    );
    const times = await timesOf(this.service, ids);
    say(`  all scored (load ${loadavg()[0]!.toFixed(1)})`);
    const after = await this.alone(task);

    const data = `${prepared.length} models of ${owners} owners within ${seconds} s, ${visibility} data`;
    const files = times.filter((_, place) => prepared[place]!.kind === 'predictions').map(toScore);
    const others = times.filter((_, place) => prepared[place]!.kind !== 'predictions');
    const sumOf = (seconds: keyof Alone): number =>
      prepared.reduce((sum, { kind }) => sum + (before.get(kind)![seconds] + after.get(kind)![seconds]) / 2, 0);
    say(`  ${stages(others)}`);
    const makespan = Math.max(...others.map(({ scored }) => scored)) - Math.min(...times.map(({ created }) => created));
    const ratio = (sumAlone: number): string =>
      `${figure((makespan * SLOTS) / sumAlone)} (${figure(makespan)} s, the sum is ${figure(sumAlone)} s)`;
    return [
      {
        what: `${data}: predictions files, from submission to scores, p95`,
        goal: '≤ 10 s',
        measured: `${figure(quantile(files, 0.95))} s (${range(files)})`,
        reached: quantile(files, 0.95) <= 10,
      },
      {
        what: `the same: containers and ONNX exports, until all have scores ÷ (sum of their times alone, until their runs end ÷ ${SLOTS})`,
        goal: '≤ 1.5',
        measured: ratio(sumOf('ended')),
        reached: (makespan * SLOTS) / sumOf('ended') <= 1.5,
      },
      {
        what: `the same ÷ (sum of their times alone, until they have scores ÷ ${SLOTS})`,
        goal: '',
        measured: ratio(sumOf('scored')),
        reached: null,
      },
    ];
  }

  /** Returns the median times of models that have the host to themselves, by kind. */
  private async alone(task: string): Promise<ReadonlyMap<SubmitModel['kind'], Alone>> {
    const found = new Map<SubmitModel['kind'], Alone>([['predictions', { scored: 0, ended: 0 }]]);
    for (const kind of ['container', 'onnx'] as const) {
      const samples: ModelTimes[] = [];
      // the first one is not counted: the first model of a task also measures the floor of its latencies
      for (let sample = 0; sample <= this.size.alone / 2; sample++) {
        const id = await this.submit(task, kind, await this.artifact(kind), 'alone');
        const [times] = await timesOf(this.service, [id]);
        if (sample > 0) samples.push(times!);
      }
      const scored = median(samples.map(toScore));
      const ended = median(samples.map(toEnd));
      this.context.say(`  ${kind} alone: scores after ${figure(scored)} s, its run ended after ${figure(ended)} s`);
      found.set(kind, { scored, ended });
    }
    return found;
  }

  /** The number of runs that start before the only model of an owner, while another owner has many in the queue. */
  async besideLongQueue(): Promise<BenchRow> {
    const { queued } = this.size;
    const task = await this.service.task(this.examples, {}, 'public');
    const artifacts: string[] = [];
    for (let place = 0; place <= queued; place++) artifacts.push(await this.artifact('onnx'));
    const many: string[] = [];
    for (const artifact of artifacts.slice(1)) many.push(await this.submit(task, 'onnx', artifact, 'many'));
    const [single, ...others] = await timesOf(this.service, [
      await this.submit(task, 'onnx', artifacts[0]!, 'single'),
      ...many,
    ]);
    const between = others.filter(({ started }) => started! > single!.created && started! < single!.started!).length;
    const wait = single!.started! - single!.created - (single!.admission ?? 0);
    this.context.say(`  the single model waited ${figure(wait)} s besides its admission`);
    return {
      what: `an owner with one model beside one with ${queued} in the queue: runs that start before it`,
      goal: `≤ ${SLOTS} (one per slot)`,
      measured: `${between}, after ${figure(wait)} s`,
      reached: between <= SLOTS,
    };
  }

  /** The seconds of a run besides those of its model: one whose image is on the engine, on readable data. */
  async ownTime(): Promise<BenchRow> {
    const task = await this.service.task(this.examples, {}, 'public');
    const image = await nullImage(this.context.folder, 'hashed', 'own-time');
    const samples: number[] = [];
    for (let sample = 0; sample <= this.size.alone; sample++) {
      // another command is another run specification of the same image
      const command = [String(sample)];
      const id = await this.service.world.submit(task, { name: 'again', kind: 'container', command }, image, 'again');
      const [times] = await timesOf(this.service, [id]);
      const model = await this.service.world.model(id, 'again');
      const { cold_start, throughput, latency_count, latency_p50 } = model.evaluations[0]!.measures;
      const own = (cold_start! + latency_count! * latency_p50!) / 1000 + EXAMPLES / throughput!;
      // the first one also builds the image
      if (sample > 0) samples.push(times!.evaluation! - own);
      this.context.say(
        `  run ${sample + 1}: ${figure(times!.evaluation!)} s, of which the model took ${figure(own)} s`,
      );
    }
    return {
      what: 'a run of a model whose image is on the engine, on readable data, without the time of the model',
      goal: '≤ 3 s',
      measured: `${figure(median(samples))} s (${range(samples)})`,
      reached: median(samples) <= 3,
    };
  }

  private submit(task: string, kind: SubmitModel['kind'], artifact: string, owner: string): Promise<string> {
    return this.service.world.submit(task, { name: `${kind} ${++this.submitted}`, kind }, artifact, owner);
  }

  /** Returns the path of an artifact whose bytes no other one has. */
  private async artifact(kind: SubmitModel['kind']): Promise<string> {
    const { folder } = this.context;
    const number = ++this.submitted;
    if (kind === 'container') return nullImage(folder, 'hashed', `crowd-${number}`);
    if (kind === 'onnx') return packed(await costlyBundle(folder, 1, 10_000 + number));
    const rng = seededRng(`predictions ${number}`);
    const lines = Array.from({ length: EXAMPLES }, (_, id) =>
      JSON.stringify({ dataset: 'examples', id: String(id), prediction: LABELS[rng.below(LABELS.length)] }),
    );
    const path = join(folder, `predictions-${number}.jsonl`);
    await writeFile(path, lines.join('\n'));
    return path;
  }
}

const toEnd = ({ created, ended }: ModelTimes): number => ended - created;
const toScore = ({ created, scored }: ModelTimes): number => scored - created;

/** Returns the median seconds of the stages of runs, as text. */
function stages(times: readonly ModelTimes[]): string {
  const of = (name: string, seconds: (each: ModelTimes) => number): string =>
    `${name} ${figure(median(times.map(seconds)))}`;
  return `median seconds: ${[
    of('admission', ({ admission }) => admission!),
    of('waiting', ({ created, started, admission }) => started! - created - admission!),
    of('evaluation', ({ evaluation }) => evaluation!),
    of('to scores', toScore),
  ].join(', ')}`;
}
