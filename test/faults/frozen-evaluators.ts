import { beforeAll, expect, it } from '@jest/globals';
import { inFullForm } from '../factories/test-form.js';
import type { FaultyService } from './faulty-service.js';
import { FAKETIME, hasFaketime } from './moved-clock.js';

/** Seconds of a lease, and of a loop that is blocked for most of what is left of it after a renewal, which comes each quarter. */
const BLOCKED = { lease: '70', seconds: 45 };

/** Cases in which an evaluator is frozen. */
export function frozenEvaluators(subject: () => FaultyService): void {
  let service: FaultyService;

  beforeAll(() => {
    service = subject();
  });

  it('past its lease is passed by, and writes nothing when it goes on', async () => {
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    // an image that was admitted before is not claimed for admission
    const id = await service.submitContainer('honest', 'new');
    await started;
    const stopped = service.evaluator;
    process.kill(stopped.pid, 'SIGSTOP');

    const second = service.world.startAnother('second');
    // it takes the run over, and the lock of who measures, though nobody has let go of either
    await service.untilScored([id]);
    const [run] = await service.runs(id);
    expect(run).toMatchObject({ state: 'done', attempts: 1, fence: 3 });

    process.kill(stopped.pid, 'SIGCONT');
    await service.untilLogged('evaluator', 'lease 2 is lost');
    await second.stop();
    await service.expectInvariants();
    expect(await service.runs(id)).toEqual([run]);
  });

  // CI holds a stale writer to it in test/medium/run-lease.spec.ts
  inFullForm('past its lease just before it writes a result writes none', async () => {
    await service.world.stopEvaluator();
    service.world.startEvaluator({ ASSAY_FAILPOINT: 'before-commit=25' });
    const id = await service.submitPredictions();
    await service.untilLogged('evaluator', 'claim 2');

    const second = service.world.startAnother('second');
    await service.untilScored([id]);
    await service.untilLogged('evaluator', 'lease 2 is lost');

    await second.stop();
    await service.expectInvariants();
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 1, fence: 3 }]);
  });

  inFullForm(
    `for ${BLOCKED.seconds} of the ${BLOCKED.lease} seconds of its lease has one result all the same`,
    async () => {
      await service.world.stopEvaluator();
      const settings = { ASSAY_LEASE_SECONDS: BLOCKED.lease };
      service.world.startEvaluator({ ...settings, ASSAY_FAILPOINT: `mid-dataset=${BLOCKED.seconds}` });
      const started = service.engineWatch.next({ action: 'start', role: 'model' });
      const id = await service.submitContainer('honest', 'new');
      await started;
      const since = performance.now();

      const second = service.world.startAnother('second', settings);
      await service.untilScored([id]);
      expect(performance.now() - since).toBeGreaterThan(BLOCKED.seconds * 1000);
      expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0, fence: 2 }]);
      await second.stop();
      await service.expectInvariants();
    },
  );

  it('because it is asked to stop in the middle puts back what it holds, and another goes on', async () => {
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer();
    await started;

    await service.world.stopEvaluator();
    expect(await service.world.residue()).toEqual([]);
    service.world.startEvaluator();
    await service.untilScored([id]);

    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
    await service.expectInvariants();
  });

  const withFaketime = hasFaketime() ? it : it.skip;

  withFaketime('is not taken for one by another whose clock is an hour ahead', async () => {
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer('slow-from-the-start');
    await started;
    const ahead = {
      LD_PRELOAD: FAKETIME!,
      FAKETIME: '+1h',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    service.forgetLog('evaluator-second');
    const second = service.world.startAnother('second', ahead);
    await service.untilLogged('evaluator-second', 'is ready');
    expect(await service.runs(id)).toMatchObject([{ state: 'leased', stage: 'evaluation', attempts: 0 }]);

    await service.untilScored([id]);
    const other = await service.submitPredictions();
    await service.untilScored([other]);

    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
    expect(await service.runs(other)).toMatchObject([{ state: 'done', attempts: 0 }]);
    await second.stop();
    await service.expectInvariants();
  });
}
