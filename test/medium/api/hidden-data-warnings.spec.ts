import { RunSpecification } from '@assay/submissions';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SENTIMENT_TASK, sentimentLines } from '../../factories/models/sentiment-task.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { REPORT } from './route-world.js';

const RUNC = { ...REPORT, host: { ...REPORT.host, runtimes: ['runc'] } };

interface Warning {
  readonly code: string;
  readonly detail: string;
}

describe('hidden data', () => {
  let world: ApiWorld;
  let owner: string;
  let builder: string;
  let evaluators: readonly string[] = [];
  let tasks = 0;

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    builder = await world.user('builder');
    // only owners of tasks may register evaluators
    for (const token of [owner, builder]) {
      await world.call('POST', '/tasks', { token, body: { ...SENTIMENT_TASK, slug: `own-${++tasks}`, name: 'Own' } });
    }
  });
  afterAll(() => world.close());

  /** Registers an evaluator that reports its host. The ones before are removed. */
  async function onlyEvaluator(report: object | null, by = world.admin): Promise<void> {
    for (const id of evaluators) await world.call('DELETE', `/evaluators/${id}`, { token: world.admin });
    evaluators = [];
    if (!report) return;
    const { body } = await world.call('POST', '/evaluators', { token: by, body: { name: `gpu-${++tasks}` } });
    evaluators = [body.id as string];
    const sent = await world.call('PUT', '/evaluator/presence', { token: body.token as string, body: report });
    expect(sent.status).toBe(200);
  }

  async function task(more: object = {}): Promise<string> {
    const slug = `task-${++tasks}`;
    const body = { ...SENTIMENT_TASK, slug, name: slug, ...more };
    expect((await world.call('POST', '/tasks', { token: owner, body })).status).toBe(201);
    return slug;
  }

  async function put(slug: string, name: string, visibility: string, count = 40): Promise<readonly Warning[]> {
    const { status, body } = await world.call('PUT', `/tasks/${slug}/datasets/${name}?visibility=${visibility}`, {
      token: owner,
      type: 'application/x-ndjson',
      body: sentimentLines(`${slug}-${name}`, { count, web: 5 }),
    });
    expect(status).toBe(201);
    return body.warnings as Warning[];
  }

  async function submit(slug: string, kind = 'container'): Promise<void> {
    const { body } = await world.call('POST', `/tasks/${slug}/models`, {
      token: builder,
      body: { name: `model ${++tasks}`, kind },
    });
    const file = { token: builder, type: 'application/octet-stream', body: Buffer.from(`archive ${slug} ${tasks}`) };
    expect((await world.call('PUT', `/models/${body.id}/artifact`, file)).status).toBe(202);
  }

  const view = async (slug: string, token?: string) => (await world.call('GET', `/tasks/${slug}`, { token })).body;
  const codes = (warnings: readonly Warning[]) => warnings.map(({ code }) => code);

  describe('without a public sample', () => {
    beforeAll(() => onlyEvaluator(REPORT));

    it('is a warning for the owner alone, until a public dataset has 20 examples', async () => {
      const slug = await task();
      expect(await put(slug, 'open', 'public', 19)).toEqual([]);
      expect(await put(slug, 'readable', 'inputs')).toEqual([]);
      const [warning, ...others] = await put(slug, 'secret', 'hidden');
      expect(others).toEqual([]);
      expect(warning).toEqual({
        code: 'no_public_sample',
        detail: expect.stringContaining(`assay dataset sample ${slug} secret`),
      });
      expect((await view(slug, owner)).warnings).toEqual([warning]);
      expect((await view(slug, world.admin)).warnings).toEqual([warning]);
      expect(await view(slug, builder)).not.toHaveProperty('warnings');
      expect(await view(slug)).not.toHaveProperty('warnings');

      expect(await put(slug, 'sample', 'public', 20)).toEqual([]);
      expect((await view(slug, owner)).warnings).toEqual([]);
    });

    it('names no dataset that is too small to draw from', async () => {
      const [warning] = await put(await task(), 'secret', 'hidden', 20);
      expect(warning!.detail).not.toContain('assay dataset sample');
      expect(warning!.detail).toContain('Upload one: assay dataset put');
    });

    it('is a warning of the preview and of the activation', async () => {
      const slug = await task();
      await put(slug, 'open', 'public', 19);
      const em = world.orm.em.fork();
      const path = `/tasks/${slug}/benchmark-versions`;
      // as if models were ranked
      await put(slug, 'secret', 'hidden');
      await em.execute(
        `update dataset_version set status = 'proposed' where dataset_id in
           (select id from dataset where name in ('secret') and task_id = (select id from task where slug = ?))`,
        [slug],
      );
      expect((await view(slug, owner)).warnings).toEqual([]);
      for (const query of ['?preview', '']) {
        const { body } = await world.call('POST', `${path}${query}`, { token: owner, body: {} });
        expect(codes(body.warnings as Warning[])).toEqual(['no_public_sample']);
      }
    });
  });

  describe('of a task without a runtime', () => {
    const runtimeOf = async (slug: string) => (await view(slug)).runtime as string | undefined;

    it('runs under runsc from the first model on, which the audit log says', async () => {
      await onlyEvaluator(REPORT);
      const slug = await task();
      await put(slug, 'secret', 'hidden');
      expect(await view(slug)).not.toHaveProperty('runtime');
      await submit(slug, 'predictions');
      expect(await view(slug)).not.toHaveProperty('runtime');

      await submit(slug);
      expect(await runtimeOf(slug)).toBe('runsc');
      const newest = await world.orm.em
        .fork()
        .findOneOrFail(RunSpecification, { artifact: { kind: 'container' } }, { orderBy: { id: 'desc' } });
      expect(newest.content.runtime).toBe('runsc');
      const { body } = await world.call('GET', '/admin/audit?action=task.changed&limit=1', { token: world.admin });
      expect(body.items[0]).toMatchObject({
        actor: null,
        subject: { name: slug },
        from: { runtime: null },
        to: { runtime: 'runsc' },
      });

      // the decision stays
      await onlyEvaluator(RUNC);
      await submit(slug);
      expect(await runtimeOf(slug)).toBe('runsc');
    });

    it.each<[string, { report: object | null; visibility?: string; by?: 'owner' | 'builder'; runtime?: string }]>([
      ['runc without an evaluator', { report: null }],
      ['runc if no evaluator has runsc', { report: RUNC }],
      ['runc if the evaluator that has it is too small', { report: { ...REPORT, host: { ...REPORT.host, cpus: 1 } } }],
      ['runc if the evaluator that has it may not run its models', { report: REPORT, by: 'builder' }],
      ['runc without hidden data', { report: REPORT, visibility: 'inputs' }],
      ['runsc if its owner has an evaluator with runsc', { report: REPORT, by: 'owner', runtime: 'runsc' }],
    ])('gets %s', async (_name, { report, visibility = 'hidden', by, runtime = 'runc' }) => {
      await onlyEvaluator(report, by && { owner, builder }[by]);
      const slug = await task({ limits: { cpus: 2 } });
      const warnings = await put(slug, 'data', visibility);
      const expected = visibility === 'hidden' && runtime === 'runc';
      expect(codes(warnings).includes('hidden_data_under_runc')).toBe(expected);
      await submit(slug);
      expect(await runtimeOf(slug)).toBe(runtime);
    });

    it('can be decided again', async () => {
      await onlyEvaluator(null);
      const slug = await task();
      await put(slug, 'secret', 'hidden');
      await submit(slug);
      expect(await runtimeOf(slug)).toBe('runc');
      await onlyEvaluator(REPORT);
      await world.call('PATCH', `/tasks/${slug}`, { token: owner, body: { runtime: null } });
      await submit(slug);
      expect(await runtimeOf(slug)).toBe('runsc');
    });
  });

  it('runs under the runtime of its definition, with a warning if no evaluator has runsc', async () => {
    await onlyEvaluator(REPORT);
    const slug = await task({ runtime: 'runc' });
    expect(codes(await put(slug, 'secret', 'hidden'))).toEqual(['no_public_sample']);
    await submit(slug);
    expect((await view(slug)).runtime).toBe('runc');

    await onlyEvaluator(RUNC);
    const [, warning] = (await view(slug, owner)).warnings as Warning[];
    expect(warning).toEqual({
      code: 'hidden_data_under_runc',
      detail: expect.stringContaining(`assay task change ${slug} runtime=runsc`),
    });
  });
});
