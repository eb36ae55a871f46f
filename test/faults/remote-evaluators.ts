import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isFullForm } from '../factories/test-form.js';
import { CutNetwork } from './cut-network.js';
import { type FaultyService } from './faulty-service.js';
import { fakeTime, hasFaketime } from './moved-clock.js';

/** Registers the cases that concern the separation of an evaluator from the service. */
export function remoteEvaluators(subject: () => FaultyService): void {
  let service: FaultyService;
  let network: CutNetwork;

  beforeAll(async () => {
    service = subject();
    network = await CutNetwork.to(service.world.url);
  });
  afterAll(() => network?.close());

  it('has no setting of the service, and no connection to its database', async () => {
    await service.startBothEvaluators();
    const { home, evaluator } = service.world;
    const environment = readFileSync(`/proc/${evaluator.pid}/environ`, 'utf8').split('\0');
    expect(environment).toContainEqual(expect.stringMatching(/^ASSAY_EVALUATOR_TOKEN=assay_evaluator_/));
    expect(environment.filter((each) => /DATABASE|REDIS|SMTP|OIDC/.test(each))).toEqual([]);
    expect(environment.filter((each) => each === `ASSAY_HOME=${home}` || each.includes(`${home}/`))).toEqual([]);
    const connected = `select application_name from pg_stat_activity where application_name ~ 'evaluator'`;
    expect(await service.witness.rows(connected)).toEqual([]);
  });

  it('is cut off for longer than its lease, and ends its model while another does the run', async () => {
    await service.stopBothEvaluators();
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    await service.world.startEvaluator({}, { url: network.url });
    const id = await service.submitContainer();
    await started;
    const removed = service.engineWatch.next({ action: 'destroy', role: 'model' });
    network.cut();
    await removed;

    await service.startBothEvaluators();
    await service.untilScored([id]);
    network.mend();
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 1 }]);

    // works again
    await service.world.another('second')!.stop();
    const next = await service.submitContainer();
    await service.untilScored([next]);
    await service.expectInvariants();
  });

  const withFaketime = hasFaketime() ? it : it.skip;

  withFaketime.each(isFullForm ? ['+1h', '-1h'] : ['+1h'])(
    'has a clock that is off by %s, which nothing depends on',
    async (offset) => {
      await service.stopBothEvaluators();
      await service.world.startEvaluator(fakeTime(offset));
      const id = await service.submitContainer();
      await service.untilScored([id]);
      expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
      await service.expectInvariants();
    },
  );
}
