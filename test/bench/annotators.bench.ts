import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnnotationView, NextContext } from '@assay/contracts/annotating';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { type ApiAnswer, apiCall } from '../factories/worlds/api-call.js';
import { CollectionWorld } from '../factories/worlds/collection-world.js';
import type { Bench, BenchRow } from './bench.js';
import { LABELS, type BenchService } from './bench-service.js';
import { processTime } from './process-time.js';
import { figure } from './samples.js';
import { nullImage } from './submissions.js';

/** Milliseconds between two examples of one annotator. */
const PACE = 2_000;
/** Durations in milliseconds. */
interface Times {
  readonly next: number[];
  readonly submit: number[];
  readonly model: number[];
}

/**
 * Concurrent annotators against one warm target model: the time of each step, and the model's own
 * share of it.
 */
export const annotatorsBench: Bench = {
  name: 'annotators',
  async run(context) {
    const { quick, folder, say } = context;
    const [people, seconds] = quick ? [10, 6] : [50, 60];
    const service = await context.service();
    const world = await openRound(service, folder, people, seconds);
    const tokens = await Promise.all(
      Array.from({ length: people }, (_, index) => service.world.user(`writer-${index}`)),
    );
    await untilWarm(world, tokens[0]!);

    const times: Times = { next: [], submit: [], model: [] };
    const refused: string[] = [];
    const before = processorTimes(service);
    const started = performance.now();
    await Promise.all(
      tokens.map((token, index) =>
        annotate(world, token, { index, started, first: (PACE * index) / people, seconds, times, refused }),
      ),
    );
    const after = processorTimes(service);
    const spent = after.map((each, index) => each - before[index]!);
    await world.closeRound(1);

    const { next, submit, model } = times;
    const added = submit.map((each, index) => each - model[index]!);
    for (const [name, values] of Object.entries({ ...times, added })) say(`  ${name}: ${shares(values)} ms`);
    for (const why of new Set(refused)) say(`  refused: ${why}`);
    const what = `${people} annotators, an example every ${PACE / 1000} s each for ${seconds} s`;
    const row = (of: string, values: readonly number[]): BenchRow => ({
      what: of,
      goal: '',
      measured: `${shares(values)} ms`,
      reached: null,
    });
    return [
      {
        what: `${what}, one warm model: examples sent, errors`,
        goal: 'no error',
        measured: `${submit.length}, ${refused.length}`,
        reached: refused.length === 0 && submit.length > 0,
      },
      row('the same: a context handed out, p50, p95 and p99', next),
      row('the same: an example sent, until the answer is back and all is stored', submit),
      row("of that the model's own time", model),
      row('what checks, storing and the way to the model add to it', added),
      {
        what: 'processor time an example, its context among it: of the API, the worker and the evaluator',
        goal: '',
        measured: `${spent.map((each) => figure(each / submit.length)).join(', ')} ms`,
        reached: null,
      },
    ];
  },
};

/**
 * Returns the processor times of API, worker and evaluator so far, in milliseconds. Excludes
 * PostgreSQL, the model and the load generator.
 */
const processorTimes = ({ world }: BenchService): readonly number[] =>
  [world.api, world.worker, world.evaluator].map(({ pid }) => processTime(pid));

/**
 * The owner of the target model. Another user than the one who submits all other models: a target
 * model gives way to runs of its owner.
 */
const TARGET_OWNER = 'grace';

/** Opens a round with one target model and a context for every example. */
export async function openRound(
  service: BenchService,
  folder: string,
  people: number,
  seconds: number,
  collection: TaskDefinitionInput['collection'] = {},
): Promise<CollectionWorld> {
  const examples = join(folder, 'annotators.jsonl');
  const lines = Array.from({ length: 200 }, (_, index) =>
    JSON.stringify({ passage: `Passage ${index}.`, text: `Sentence ${index}.`, label: LABELS[index % LABELS.length] }),
  );
  await writeFile(examples, lines.join('\n'));
  const task = await service.task(examples, {
    inputs: [
      { name: 'passage', type: 'text' },
      { name: 'text', type: 'text' },
    ],
    loop: { size: 1 },
    collection,
  });
  const image = await nullImage(folder, 'hashed', 'annotators');
  const { id } = await service.evaluate(task, 'container', image, TARGET_OWNER);
  const world = new CollectionWorld(service.world, task);
  await world.openRound({ models: [id] });
  const contexts = Array.from({ length: people * (Math.ceil(seconds / (PACE / 1000)) + 2) }, (_, index) => ({
    passage: `Passage ${index} is about a place that nobody has written about so far.`,
  }));
  await world.put(1, 'contexts', contexts);
  return world;
}

/** Waits until the target model answers. Uses trial examples, which are not stored. */
export async function untilWarm(world: CollectionWorld, token: string): Promise<void> {
  await world.service.until(async () => {
    const next = await call(world, token, '/annotate/next', {});
    const { round, context } = next.body as NextContext;
    const body = { key: 'warm', context: context.id, input: { text: 'Is it there?' }, label: 'neutral' };
    return (await call(world, token, `/rounds/${round}/annotations?trial=true`, body)).status === 200;
  }, 120_000);
}

interface Part {
  readonly index: number;
  /** The common start of all annotators, as of `performance.now()`. */
  readonly started: number;
  /** The delay of this annotator's first example after `started`, in milliseconds. */
  readonly first: number;
  readonly seconds: number;
  readonly times: Times;
  readonly refused: string[];
}

/**
 * Writes examples at a fixed pace, even if an answer is late: each example is due `PACE` after the
 * previous one was due.
 */
async function annotate(world: CollectionWorld, token: string, part: Part): Promise<void> {
  const { index, started, first, seconds, times, refused } = part;
  for (let due = started + first, count = 0; due < started + seconds * 1000; due += PACE, count++) {
    await sleep(Math.max(0, due - performance.now()));
    const [next, asking] = await timed(() => call(world, token, '/annotate/next', {}));
    if (next.status !== 200) {
      refused.push(`next: ${next.status} ${JSON.stringify(next.body)}`);
      continue;
    }
    times.next.push(asking);
    const { round, context } = next.body as NextContext;
    const body = {
      key: `${index}-${count}`,
      context: context.id,
      input: { text: `Writer ${index} has sentence ${count} to say about this and about nothing else.` },
      label: 'neutral',
    };
    const [sent, sending] = await timed(() => call(world, token, `/rounds/${round}/annotations`, body));
    if (sent.status !== 201) {
      refused.push(`submit: ${sent.status} ${JSON.stringify(sent.body)}`);
      continue;
    }
    times.submit.push(sending);
    times.model.push((sent.body as AnnotationView).answers[0]?.milliseconds ?? NaN);
  }
}

const call = ({ service, task }: CollectionWorld, token: string, path: string, body: object): Promise<ApiAnswer> =>
  apiCall(`${service.url}/api/v1/tasks/${task}${path}`, 'POST', { token, body });

async function timed<T>(act: () => Promise<T>): Promise<[T, number]> {
  const before = performance.now();
  const result = await act();
  return [result, performance.now() - before];
}

const shares = (values: readonly number[]): string =>
  [0.5, 0.95, 0.99].map((share) => figure(quantile(values, share))).join(', ');

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
