import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isFullForm } from '../factories/test-form.js';
import { CutNetwork } from './cut-network.js';
import { CLEARED_SOON, FaultyService } from './faulty-service.js';
import { FAKETIME, hasFaketime } from './moved-clock.js';

/** Variables that give access to more than the gateway. */
const SECRETS = ['DATABASE_URL', 'DATABASE_OWNER_URL', 'REDIS_URL', 'SMTP_URL', 'ASSAY_METRICS_TOKEN'];
const NAME = 'remote';

describe('an evaluator that has nothing but its token', () => {
  let service: FaultyService;
  let network: CutNetwork;
  let url: string;

  beforeAll(async () => {
    service = await FaultyService.start({ queue: 'PostgreSQL', environment: CLEARED_SOON });
    network = await CutNetwork.to(service.world.url);
    ({ url } = network);
  });
  afterAll(async () => {
    await network?.close();
    await service?.close();
  });
  // the evaluators with access to the database would take the runs
  beforeEach(() => service.stopBothEvaluators());
  afterEach(() => service.world.another(NAME)?.stop());

  const start = (environment: Readonly<Record<string, string>> = {}) =>
    service.world.startRemote(NAME, environment, { url });
  const modelStarts = () => service.engineWatch.next({ action: 'start', role: 'model' });

  it('admits and evaluates containers and bundles, and has no other access', async () => {
    const { pid } = await start();
    const container = await service.submitContainer('honest', 'new');
    const bundle = await service.submitBundle();

    const states = await service.untilFinal([container, bundle]);
    expect(Object.fromEntries(states)).toEqual({ [container]: 'scored', [bundle]: 'failed' });
    expect(await service.runs(container)).toMatchObject([{ state: 'done', attempts: 0 }]);
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    for (const name of SECRETS) expect(environment.filter((each) => each.startsWith(`${name}=`))).toEqual([]);
    expect(environment.filter((each) => each.includes(service.world.home))).toEqual([]);
    expect(await service.witness.rows(`select pid from pg_stat_activity where application_name ~ 'evaluator'`)).toEqual(
      [],
    );
    await service.expectInvariants();
  });

  it('is killed, and its successor does the run again', async () => {
    const started = modelStarts();
    const evaluator = await start();
    const id = await service.submitContainer();
    await started;
    await service.kill(evaluator);

    await start();
    await service.untilScored([id]);
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 1 }]);
    await service.expectInvariants();
  });

  it('is stopped, and gives its run back', async () => {
    const started = modelStarts();
    const evaluator = await start();
    const id = await service.submitContainer();
    await started;
    await evaluator.stop();
    expect(await service.runs(id)).toMatchObject([{ state: 'queued', attempts: 0 }]);

    await start();
    await service.untilScored([id]);
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
    await service.expectInvariants();
  });

  it('is cut off for longer than its lease, and ends its model while another does the run', async () => {
    const started = modelStarts();
    await start();
    const id = await service.submitContainer();
    await started;
    const removed = service.engineWatch.next({ action: 'destroy', role: 'model' });
    network.cut();
    await removed;

    const other = await service.world.startRemote('second');
    await service.untilScored([id]);
    network.mend();
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 1 }]);
    await other.stop();

    // works again
    const next = await service.submitContainer();
    await service.untilScored([next]);
    await service.expectInvariants();
  });

  const withFaketime = hasFaketime() ? it : it.skip;

  withFaketime.each(isFullForm ? ['+1h', '-1h'] : ['+1h'])(
    'has a clock that is off by %s, which nothing depends on',
    async (offset) => {
      await start({ LD_PRELOAD: FAKETIME!, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' });
      const id = await service.submitContainer();
      await service.untilScored([id]);
      expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
      await service.expectInvariants();
    },
  );
});
