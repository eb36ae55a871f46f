import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NextContext } from '@assay/contracts';
import { runNode } from '../../../scripts/command.js';
import { COLLECTING } from '../../factories/collected-memory.js';
import type { CollectionWorld } from '../../factories/collection-world.js';
import { openRound, untilWarm } from '../annotators.bench.js';
import type { Bench, BenchContext, BenchRow } from '../bench.js';
import type { BenchService } from '../bench-service.js';
import { examplesFile } from '../examples-file.js';
import { MIB } from '../process-memory.js';
import { figure } from '../samples.js';
import { nullImage, packed } from '../submissions.js';
import { soakPicture } from './soak-picture.js';
import { type SoakSample, SoakTally, trendOf, type Trend, watchSoak } from './soak-watch.js';

const MINUTES = 30;
/** Between two looks at memory, files and connections. */
const LOOK_SECONDS = 5;
const READERS = 5;
const WRITERS = 4;
const ASKERS = 5;
/** Milliseconds between two operations of one who does so. */
const PACE = { read: 500, write: 4_000, ask: 5_000, submit: 20_000, image: 240_000, noise: 60_000 } as const;
const NOISE = 32 * MIB;
/** Models on the board: who submits one more withdraws the oldest, so that what is kept of them is as much at the end as it was early on. */
const STANDING = 10;
/** More than this a minute, by the lower end of its interval, is growth: MiB, and files or connections. */
const GROWTH = { memory: 0.5, count: 0.1 } as const;

/** Everything at once for half an hour: nothing fails, and nothing grows. */
export const soakLoad: Bench = {
  name: 'soak',
  async run(context) {
    const minutes = context.minutes ?? (context.quick ? 2 : MINUTES);
    const service = await context.service();
    const soak = await Soak.prepare(context, service, minutes);
    const before = errorLines(service).length;
    const samples = await soak.last(minutes);
    const logged = errorLines(service).slice(before);
    if (context.picture !== undefined) writeFileSync(context.picture, soakPicture(samples));
    return rowsOf(minutes, soak.tally, samples, logged);
  },
};

class Soak {
  readonly tally = new SoakTally();
  private readonly over = new AbortController();
  private readonly standing: string[] = [];
  private number = 0;

  private constructor(
    private readonly context: BenchContext,
    private readonly service: BenchService,
    private readonly collection: CollectionWorld,
    private readonly task: string,
    /** The model that people write against. */
    private readonly inLoop: string,
  ) {}

  /** A round with a warm model in its loop, and a task to submit to. */
  static async prepare(context: BenchContext, service: BenchService, minutes: number): Promise<Soak> {
    await startedAgain(service);
    const examples = Math.ceil((WRITERS * minutes * 60_000) / PACE.write);
    const collection = await openRound(service, context.folder, 2 * WRITERS, Math.ceil(examples / WRITERS) * 2);
    const people = Array.from({ length: Math.max(READERS, WRITERS, ASKERS) }, (_, index) => `soaker-${index}`);
    for (const person of people) await service.world.user(person);
    await untilWarm(collection, await service.world.user('soaker-0'));
    const task = await service.task(await examplesFile(context.folder, 200, 'soak'));
    const [model] = await service.world.rows<{ id: string }>(
      'select m.id from model m join task t on t.id = m.task_id where t.slug = $1',
      [collection.task],
    );
    const soak = new Soak(context, service, collection, task, model!.id);
    // what is read from then on is there
    await soak.submitBundle();
    await service.world.board(task);
    return soak;
  }

  async last(minutes: number): Promise<readonly SoakSample[]> {
    const { world } = this.service;
    const { signal } = this.over;
    const watched = watchSoak(world, this.tally, {
      seconds: LOOK_SECONDS,
      collectSeconds: Math.min(60, 5 * minutes),
      signal,
    });
    const many = (count: number, pace: number, kind: string, act: (index: number) => Promise<unknown>) =>
      Array.from({ length: count }, (_, index) =>
        this.keepDoing(kind, { pace, first: (pace * index) / count }, () => act(index)),
      );
    const busy = [
      ...many(READERS, PACE.read, 'read', (reader) => this.read(reader)),
      ...many(WRITERS, PACE.write, 'annotation', (writer) => this.write(writer)),
      ...many(ASKERS, PACE.ask, 'live prediction', (asker) => this.ask(asker)),
      ...many(1, PACE.submit, 'bundle evaluated', () => this.submitBundle()),
      ...many(1, PACE.image, 'image evaluated', () => this.submitImage()),
      ...many(1, PACE.noise, 'upload refused', () => this.uploadNoise()),
    ];
    await sleep(minutes * 60_000);
    this.over.abort();
    await Promise.all(busy);
    return watched;
  }

  /** Begins one whenever it is due; one that takes longer than its pace puts off the next. */
  private async keepDoing(
    kind: string,
    { pace, first }: { readonly pace: number; readonly first: number },
    act: () => Promise<unknown>,
  ): Promise<void> {
    const { signal } = this.over;
    for (let due = performance.now() + first; !signal.aborted; due = Math.max(due + pace, performance.now())) {
      await sleep(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.tally.of(kind, act);
    }
  }

  private async read(reader: number): Promise<void> {
    const { world } = this.service;
    const { task } = this;
    const number = this.number++;
    const newest = this.standing.at(-1);
    const paths = [
      `/tasks/${task}/leaderboard`,
      `/tasks/${task}/leaderboard?weights=accuracy:${1 + (number % 97) / 10}`,
      ...(newest === undefined ? [] : [`/models/${newest}`]),
      '/me',
      '/me/models',
      `/tasks/${task}`,
      `/tasks/${this.collection.task}/rounds`,
      `/tasks/${task}/models`,
    ];
    await world.expect(200, 'GET', paths[number % paths.length]!, { token: await world.user(`soaker-${reader}`) });
  }

  private async write(writer: number): Promise<void> {
    const { world } = this.service;
    const token = await world.user(`soaker-${writer}`);
    const { task } = this.collection;
    const next = (await world.expect(200, 'POST', `/tasks/${task}/annotate/next`, { token, body: {} }))
      .body as NextContext;
    const number = this.number++;
    const body = {
      key: `soak-${writer}-${number}`,
      context: next.context.id,
      input: { text: `Writer ${writer} has sentence ${number} to say about this and about nothing else.` },
      label: 'neutral',
    };
    await world.expect(201, 'POST', `/tasks/${task}/rounds/${next.round}/annotations`, { token, body });
  }

  private async ask(asker: number): Promise<void> {
    const { world } = this.service;
    const token = await world.user(`soaker-${asker}`);
    const body = { input: { passage: 'A passage.', text: `Question ${this.number++}.` } };
    await world.expect(200, 'POST', `/models/${this.inLoop}/predict`, { token, body });
  }

  private async submitBundle(): Promise<void> {
    const number = this.number++;
    const bundle = join(this.context.folder, `soak-${number}`);
    const { code, output } = await runNode(['test/bench/costly-model.mjs', bundle, '1', String(number)]);
    if (code !== 0) throw new Error(output);
    await this.evaluated('onnx', await packed(bundle), `bundle ${number}`);
  }

  private async submitImage(): Promise<void> {
    const number = this.number++;
    const image = await nullImage(this.context.folder, 'hashed', `soak-${number}`);
    await this.evaluated('container', image, `image ${number}`);
  }

  private async evaluated(kind: 'onnx' | 'container', path: string, name: string): Promise<void> {
    const { world } = this.service;
    const id = await world.submit(this.task, { name, kind }, path);
    const { model } = await world.untilFinal(id);
    if (model.state !== 'scored') throw new Error(`${name} ${model.state}: ${JSON.stringify(model.failure)}`);
    this.standing.push(id);
    if (this.standing.length <= STANDING) return;
    const oldest = this.standing.shift()!;
    await world.expect(200, 'POST', `/models/${oldest}/withdraw`, { token: await world.user('ada') });
  }

  /** What is no image arrives all the same, and is refused for what it is. */
  private async uploadNoise(): Promise<void> {
    const { world } = this.service;
    const name = `noise ${this.number++}`;
    const id = await world.submit(this.task, { name, kind: 'container' }, randomBytes(NOISE));
    const { model } = await world.untilFinal(id);
    if (model.state !== 'failed' || model.failure?.fault !== 'model') {
      throw new Error(`${name} ${model.state}: ${JSON.stringify(model.failure)}`);
    }
  }
}

/** What other benches left in the processes is gone, and they collect garbage when they are told. */
async function startedAgain({ world }: BenchService): Promise<void> {
  await world.stopEvaluator();
  world.startEvaluator(COLLECTING);
  await world.restartApi(COLLECTING);
}

/** Lines of the logs that say of an error. */
function errorLines({ world }: BenchService): readonly string[] {
  return ['api', 'evaluator'].flatMap((name) =>
    readFileSync(world.log(name), 'utf8')
      .split('\n')
      .filter((line) => /"level":"(?:error|fatal)"/.test(line)),
  );
}

const WATCHED = [
  ['memory of the API after a collection of garbage', 'memory', (sample: SoakSample) => sample.apiKeptMiB],
  ['memory of the evaluator after one', 'memory', (sample: SoakSample) => sample.evaluatorKeptMiB],
  ['memory of the API at any time', 'told', (sample: SoakSample) => sample.apiMiB],
  ['memory of the evaluator at any time', 'told', (sample: SoakSample) => sample.evaluatorMiB],
  ['open files of the API', 'count', (sample: SoakSample) => sample.apiFiles],
  ['open files of the evaluator', 'count', (sample: SoakSample) => sample.evaluatorFiles],
  ['connections to the database', 'count', (sample: SoakSample) => sample.connections],
] as const;

function rowsOf(
  minutes: number,
  { counts, errors }: SoakTally,
  samples: readonly SoakSample[],
  logged: readonly string[],
): BenchRow[] {
  for (const error of [...errors, ...logged].slice(0, 20)) console.error(`  ${error}`);
  const done = [...counts].map(([kind, count]) => `${count} × ${kind}`).join(', ');
  const what = `${figure(minutes)} minutes of everything at once`;
  return [
    {
      what: `${what}: errors, and lines of the logs that say of one`,
      goal: '0, 0',
      measured: `${errors.length}, ${logged.length}; ${done}`,
      reached: errors.length + logged.length === 0 && counts.size === Object.keys(PACE).length,
      figures: { operations: Object.fromEntries(counts), errors, logged, samples },
    },
    ...WATCHED.map(([name, kind, of]) => trendRow(`the same: ${name}`, kind, trendOf(samples, of))),
  ];
}

/** @param kind what has a limit; of memory at any time, which garbage is in, it is only told */
function trendRow(what: string, kind: 'memory' | 'count' | 'told', trend: Trend): BenchRow {
  const { slope, low, high, first, last } = trend;
  const unit = kind === 'count' ? '' : ' MiB';
  return {
    what: `${what}, its trend a minute`,
    goal: kind === 'told' ? '' : `no growth: 95% interval below ${GROWTH[kind]}${unit}, or with 0 in it`,
    measured: `${figure(slope)}${unit} (${figure(low)} to ${figure(high)}; ${figure(first)} → ${figure(last)}${unit})`,
    reached: kind === 'told' ? null : low <= 0 || high < GROWTH[kind],
    figures: { ...trend },
  };
}
