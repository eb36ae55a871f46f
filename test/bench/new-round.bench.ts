import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelView } from '@assay/contracts/models';
import type { Bench } from './bench.js';
import { LABELS, type BenchService } from './bench-service.js';
import { ContainerStarts } from './container-starts.js';
import { examplesFile } from './examples-file.js';
import { figure, inTurn, median, range } from './samples.js';
import { nullImage } from './submissions.js';

/** The prefix of the texts of a new round. */
const NEW = 'New: ';
const METRICS = ['accuracy', 'macro_f1', 'mcc', 'balanced_accuracy', 'weighted_f1', 'micro_f1'];
const PATIENCE = 300_000;

/**
 * The cost of a growing benchmark for an evaluated model: a new round sends only its own examples
 * to the model, and a new metric sends none.
 */
export const newRoundBench: Bench = {
  name: 'new-round',
  async run(context) {
    const examples = context.quick ? 1_000 : 10_000;
    const service = await context.service();
    const { world } = service;
    const file = await examplesFile(context.folder, examples, 'new-round');
    const task = await publicTask(service, file);
    const image = await nullImage(context.folder, 'hashed', 'new-round', { COUNTS: NEW });
    const { id } = await service.evaluate(task, 'container', image);
    const starts = await ContainerStarts.watch(world.engine, world.instance);

    let old = 0;
    let fresh = 0;
    const round = await inTurn(context, context.rounds ?? (context.quick ? 1 : 3), 's', {
      round: async (number) => {
        const started = performance.now();
        await putRound(service, task, number + 1, newRound(file, context.folder, number));
        await untilScored(service, id, (model) => model.evaluations.length === number + 2);
        const elapsed = (performance.now() - started) / 1000;
        const asked = await lastCount(service, id);
        old += asked.all - asked.fresh;
        fresh += asked.fresh;
        return elapsed;
      },
    });
    const before = starts.count;
    const metric = await inTurn(context, METRICS.length - 2, 's', {
      metric: async (number) => {
        const added = METRICS.slice(0, number + 3);
        const started = performance.now();
        await world.expect(200, 'PATCH', `/tasks/${task}`, { token: world.admin, body: { metrics: added } });
        await untilScored(service, id, (model) => model.evaluations.every(({ metrics }) => metrics?.[added.at(-1)!]));
        return (performance.now() - started) / 1000 / (round.round.length + 1);
      },
    });
    const containers = starts.count - before;
    starts.close();

    const count = examples.toLocaleString('en-US');
    const rounds = round.round.length;
    return [
      {
        what: `a new round of ${count} examples: of the old ones, how many crossed the socket`,
        goal: '0',
        measured: `${old.toLocaleString('en-US')} (of the ${rounds} × ${count} new ones ${fresh.toLocaleString('en-US')} times one, costs measured with them)`,
        reached: old === 0,
      },
      {
        what: 'the same: from the upload to its scores and costs',
        goal: '',
        measured: `${figure(median(round.round))} s (${range(round.round)})`,
        reached: null,
      },
      {
        what: `a new metric: containers started, time for each evaluation of ${count} examples`,
        goal: '0',
        measured: `${containers}, ${figure(median(metric.metric))} s (${range(metric.metric)})`,
        reached: containers === 0,
      },
    ];
  },
};

/**
 * Creates a task with public examples, so that the model's log is stored.
 * @returns The slug of the task.
 */
async function publicTask({ world }: BenchService, file: string): Promise<string> {
  const slug = 'bench-new-round';
  await world.task({
    slug,
    name: slug,
    inputs: [{ name: 'text', type: 'text' }],
    output: { name: 'label', type: 'label', labels: [...LABELS] },
    performance: 'accuracy',
    metrics: ['accuracy', 'macro_f1'],
    weights: { accuracy: 1 },
  });
  const request = { token: world.admin, type: 'application/x-ndjson', file };
  await world.expect(201, 'PUT', `/tasks/${slug}/datasets/examples?role=static&visibility=public`, request);
  return slug;
}

/**
 * Writes the examples of the file with changed texts.
 * @returns The path of the new file.
 */
function newRound(file: string, folder: string, number: number): string {
  const path = join(folder, `round-${number}.jsonl`);
  writeFileSync(path, readFileSync(file, 'utf8').replaceAll('"text":"', `"text":"${NEW}${number} `));
  return path;
}

async function putRound({ world }: BenchService, task: string, number: number, file: string): Promise<void> {
  const request = { token: world.admin, type: 'application/x-ndjson', file };
  await world.expect(
    201,
    'PUT',
    `/tasks/${task}/datasets/round-${number}?role=round&round=${number}&visibility=public`,
    request,
  );
  await world.call('POST', `/tasks/${task}/benchmark-versions`, { token: world.admin, body: {} });
}

async function untilScored({ world }: BenchService, id: string, isWhole: (model: ModelView) => boolean): Promise<void> {
  await world.until(async () => {
    const model = await world.model(id);
    return model.state === 'scored' && isWhole(model) && model.evaluations.every(({ state }) => state === 'scored');
  }, PATIENCE);
}

/** Returns the counts of instances from the model's own log of its last run. */
async function lastCount(
  { world }: BenchService,
  id: string,
): Promise<{ readonly all: number; readonly fresh: number }> {
  const { body } = await world.call('GET', `/models/${id}/logs`, { token: await world.user('ada') });
  const counts = [...JSON.stringify(body).matchAll(/asked (\d+) prefixed (\d+)/g)].at(-1);
  if (!counts) throw new Error(`the model's log has no count: ${JSON.stringify(body).slice(0, 500)}`);
  return { all: Number(counts[1]), fresh: Number(counts[2]) };
}
