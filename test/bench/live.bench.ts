import { setTimeout as sleep } from 'node:timers/promises';
import { entities } from '@assay/application';
import { databaseOptions } from '@assay/persistence';
import { percentile } from '@assay/scoring/costs';
import { Model } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { MikroORM } from '@mikro-orm/postgresql';
import { LiveCaller } from '../factories/services/live-caller.js';
import type { Bench, BenchContext } from './bench.js';
import type { BenchService } from './bench-service.js';
import { examplesFile } from './examples-file.js';
import { figure } from './samples.js';
import { nullImage } from './submissions.js';

const PER_SECOND = 25;

/**
 * The latency that the platform adds to a target model, at the rate of 50 people with one example
 * every two seconds.
 */
export const liveBench: Bench = {
  name: 'live',
  async run(context) {
    const service = await context.service();
    const { task, model } = await warmModel(context, service);
    const orm = await MikroORM.init(databaseOptions({ url: service.world.databaseUrl, entities, poolMax: 4 }));
    const caller = new LiveCaller(orm.em, service.world.databaseUrl);
    try {
      const em = orm.em.fork();
      const asked = {
        task: await em.findOneOrFail(Task, { slug: task }),
        model: await em.findOneOrFail(Model, model),
      };
      const ask = async (text: string): Promise<Sample> => {
        const started = performance.now();
        const [answer] = await caller.predictions.predict(asked.task, asked.model, [{ text }]);
        return { whole: performance.now() - started, own: answer!.milliseconds };
      };
      for (let warm = 0; warm < 50; warm++) await ask(`warm ${warm}`);

      const alone: Sample[] = [];
      for (let index = 0; index < (context.quick ? 700 : 2_000); index++) alone.push(await ask(`alone ${index}`));
      const crowd = await atRate(PER_SECOND, context.quick ? 28 : 60, ask);
      return [
        row(context, 'one after the other', alone),
        row(context, `${PER_SECOND} a second, as 50 people do`, crowd),
      ];
    } finally {
      await caller.close();
      await orm.close(true);
    }
  },
};

/** Milliseconds: the time that the caller waits, and the model's own time. */
interface Sample {
  readonly whole: number;
  readonly own: number;
}

async function warmModel(
  { folder }: BenchContext,
  service: BenchService,
): Promise<{ readonly task: string; readonly model: string }> {
  const task = await service.task(await examplesFile(folder, 200, 'live'), { collection: {} });
  const { id } = await service.evaluate(task, 'container', await nullImage(folder, 'hashed', 'live'));
  await service.world.until(async () => {
    const { body } = await service.world.call('GET', `/tasks/${task}/loop`);
    return body.models[0]?.serving?.state === 'ready';
  }, 120_000);
  return { task, model: id };
}

/** Asks at a fixed rate, regardless of outstanding answers. */
async function atRate(
  perSecond: number,
  seconds: number,
  ask: (text: string) => Promise<Sample>,
): Promise<readonly Sample[]> {
  const asked: Promise<Sample>[] = [];
  const started = performance.now();
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = started + (index * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    asked.push(ask(`crowd ${index}`));
  }
  return Promise.all(asked);
}

function row({ say }: BenchContext, how: string, samples: readonly Sample[]) {
  const of = (values: readonly number[]): readonly [number, number] => {
    const sorted = Float64Array.from(values).sort();
    return [percentile(sorted, 50)?.value ?? NaN, percentile(sorted, 99)?.value ?? NaN];
  };
  const [own50, own99] = of(samples.map(({ own }) => own));
  const [whole50, whole99] = of(samples.map(({ whole }) => whole));
  const [added50, added99] = of(samples.map(({ whole, own }) => whole - own));
  say(`  ${how}: the model p50 ${figure(own50)} ms, p99 ${figure(own99)} ms`);
  say(`  ${how}: through LivePredictions p50 ${figure(whole50)} ms, p99 ${figure(whole99)} ms`);
  return {
    what: `live prediction over the model's own time, ${samples.length} ${how}`,
    goal: 'p50 ≤ 10 ms, p99 ≤ 50 ms',
    measured: `p50 ${figure(added50)} ms, p99 ${figure(added99)} ms`,
    reached: added50 <= 10 && added99 <= 50,
  };
}
