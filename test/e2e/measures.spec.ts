import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelView } from '@assay/contracts/models';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { buildSubmissionImage } from '../factories/models/submission-image.js';
import type { ServiceClient } from '../factories/worlds/service-client.js';
import { sharedService } from '../factories/worlds/shared-service.js';

jest.setTimeout(300_000);

const TASK = 'costs';
const BUSY = 'busy-costs';
/** CPU seconds that each answer of a busy model takes. */
const BURNT = 0.005;

/**
 * The source of a server that answers whether a number is even. With the argument `fickle`, about
 * one in seven answers is wrong, different ones after each start. With `busy`, each answer takes
 * `BURNT` more CPU seconds.
 */
const server = `
import { createServer } from 'node:http';
const draw = Math.random();
const hash = (text) => { let sum = draw * 4294967296; for (const letter of text) sum = (sum * 31 + letter.charCodeAt(0)) % 4294967296; return sum % 7; };
const isFickle = process.argv[2] === 'fickle';
const labelOf = ({ text }) => ((Number(text) % 2 === 0) !== (isFickle && hash(text) < 1) ? 'even' : 'odd');
const burn = () => {
  const before = process.cpuUsage();
  for (let used = 0; used < ${BURNT * 1e6}; ) {
    const { user, system } = process.cpuUsage(before);
    used = user + system;
  }
};
const answerTo = (instance) => {
  if (process.argv[2] === 'busy') burn();
  return labelOf(instance);
};
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = request.url === '/ping' ? {} : { predictions: JSON.parse(Buffer.concat(chunks)).instances.map(answerTo) };
  response.end(JSON.stringify(body));
}).listen(8080);
`;

describe('what a model costs in real containers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-costs-'));
  const image = join(folder, 'image.tar.zst');
  let world: ServiceClient;

  beforeAll(async () => {
    world = await sharedService();
    await plant(TASK, 2_000);
    await buildSubmissionImage({ server: { content: server } }, image);
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  async function plant(slug: string, examples: number): Promise<void> {
    await world.task({
      slug,
      name: 'Parity',
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: ['even', 'odd'] },
      performance: 'accuracy',
      // the figures are those of runc, also where the engine has runsc
      runtime: 'runc',
    });
    const rows = Array.from({ length: examples }, (_, index) => ({
      id: `${index}`,
      text: `${index}`,
      label: index % 2 === 0 ? 'even' : 'odd',
    }));
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    await world.dataset(slug, 'numbers', 'role=static&visibility=hidden', lines);
  }

  async function scored(name: 'steady' | 'fickle' | 'busy', task = TASK): Promise<ModelView> {
    const id = await world.submit(task, { name, kind: 'container', command: [name] }, image);
    return (await world.untilFinal(id)).model;
  }

  it('is shown next to the floor of a null model, and is measured by itself, which does not change the score', async () => {
    const model = await scored('steady');
    expect(model).toMatchObject({ state: 'scored', repeatability: { compared: 100, different: 0 } });
    const [first] = model.evaluations;
    const { floor, latency_p50, latency_p99 } = first!.measures;
    expect(first!.measures.latency_count).toBe(662);
    // the null model is asked for five seconds at most: a slow machine takes fewer of its latencies
    expect(floor!.count).toBeGreaterThanOrEqual(64);
    expect(floor!.count).toBeLessThanOrEqual(662);
    expect(floor!.latency_p50!).toBeGreaterThan(0);
    if (floor!.count < 662) expect(floor!.latency_p99).toBeNull();
    else expect(floor!.latency_p99!).toBeGreaterThanOrEqual(floor!.latency_p50!);
    expect(latency_p50!).toBeGreaterThan(floor!.latency_p50! / 3);
    expect(latency_p99!).toBeGreaterThan(0);

    expect(model).toMatchObject({ awaitsMeasurement: true, measuring: false });
    expect(first!.measures.provisional).toBe(true);
    // the services of tests wait for a day
    await world.rows(
      `update run set not_before = now() from model m
        where m.id = $1 and run.specification_id = m.specification_id and run.purpose = 'measures'`,
      [model.id],
    );
    await world.until(async () => (await world.model(model.id)).awaitsMeasurement === false, 120_000);

    const again = await world.model(model.id);
    expect(again).toMatchObject({ state: 'scored', measuring: false });
    const [second] = again.evaluations;
    expect(second!.metrics).toEqual(first!.metrics);
    expect(second!.measures.cpu_time).toBe(first!.measures.cpu_time);
    const taken = await world.rows<{ contended: boolean }>(
      `select (k.measures ->> 'contended')::boolean as contended from measurement k
        join model m on m.specification_id = k.specification_id where m.id = $1 order by k.created_at`,
      [model.id],
    );
    expect(taken).toHaveLength(2);
    expect(second!.measures.repeats).toBe(1);
    expect(second!.measures).not.toHaveProperty('provisional');
    expect(await world.residue()).toEqual([]);

    const token = await world.user(world.builder);
    const asked = await world.call('POST', `/models/${model.id}/rerun?measures=true`, { token });
    expect(asked).toMatchObject({ status: 202, body: { state: 'scored', measuring: true } });
    expect((await world.call('POST', `/models/${model.id}/cancel`, { token })).status).toBe(200);
    await world.until(async () => (await world.residue()).length === 0, 30_000);
  });

  it('counts the CPU time of its answers, and the board weighs it', async () => {
    await plant(BUSY, 300);
    const [{ measures }] = (await scored('busy', BUSY)).evaluations as [ModelView['evaluations'][number]];
    expect(measures.cpu_time).toBeGreaterThan(BURNT);
    expect(measures.cpu_time).toBeLessThan(2 * BURNT);

    const { metrics, rows } = await world.board(BUSY, (board) => board.rows.length === 1);
    expect(metrics.find(({ name }) => name === 'cpu_time')).toMatchObject({ weight: 1, unit: 's/example' });
    expect(rows[0]!.metrics['cpu_time']!.value).toBe(measures.cpu_time);
  });

  it('marks a model that another start makes another, and its scores stand', async () => {
    const model = await scored('fickle');

    expect(model).toMatchObject({ state: 'scored' });
    expect(model.repeatability!.compared).toBe(100);
    expect(model.repeatability!.different).toBeGreaterThan(0);
    expect(model.repeatability!.different).toBeLessThan(100);
  });
});
