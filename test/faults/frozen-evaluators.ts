import { beforeAll, expect, it } from '@jest/globals';
import { inFullForm } from '../factories/test-form.js';
import type { FaultyService } from './faulty-service.js';
import { FAKETIME, hasFaketime } from './moved-clock.js';

/**
 * The duration of the lease and of the block of the event loop, in seconds. A lease is renewed
 * every quarter of its duration, so the block takes most of the 52.5 s that are left at least.
 */
const BLOCKED = { lease: '70', seconds: 45 };

/** Registers the cases in which an evaluator is frozen. */
export function frozenEvaluators(subject: () => FaultyService): void {
  let service: FaultyService;

  beforeAll(() => {
    service = subject();
  });

  it('past its lease is passed by, and writes nothing when it continues', async () => {
    await service.startBothEvaluators();
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer();
    const { process: frozen, log } = service.evaluatorNamed((await started).instance);
    const [held] = await service.runs(id);
    process.kill(frozen.pid, 'SIGSTOP');

    // the other evaluator takes over the run and the measuring lock, although the frozen one has
    // released neither
    await service.untilScored([id]);
    const [run] = await service.runs(id);
    expect(run).toMatchObject({ state: 'done', attempts: 1, fence: held!.fence + 1 });

    service.forgetLog(log);
    process.kill(frozen.pid, 'SIGCONT');
    await service.untilLogged(log, `lease ${held!.fence} is lost`);
    await service.expectInvariants();
    expect(await service.runs(id)).toEqual([run]);
  });

  // CI covers a stale writer in test/medium/run-lease.spec.ts
  inFullForm('past its lease just before it writes a result writes none', async () => {
    await service.stopBothWorkers();
    service.world.startWorker({ ASSAY_FAILPOINT: 'before-commit=25' });
    const id = await service.submitPredictions();
    await service.untilLogged('worker', 'claim 2');

    const second = service.world.startAnotherWorker('second');
    await service.untilScored([id]);
    await service.untilLogged('worker', 'lease 2 is lost');

    await second.stop();
    await service.expectInvariants();
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 1, fence: 3 }]);
  });

  inFullForm(
    `for ${BLOCKED.seconds} of the ${BLOCKED.lease} seconds of its lease has one result all the same`,
    async () => {
      await service.stopBothEvaluators();
      const settings = { ASSAY_LEASE_SECONDS: BLOCKED.lease };
      await service.world.startEvaluator({ ...settings, ASSAY_FAILPOINT: `mid-dataset=${BLOCKED.seconds}` });
      const started = service.engineWatch.next({ action: 'start', role: 'model' });
      const id = await service.submitContainer('honest', 'new');
      await started;
      const since = performance.now();

      const second = await service.world.startAnother('second', settings);
      await service.untilScored([id]);
      expect(performance.now() - since).toBeGreaterThan(BLOCKED.seconds * 1000);
      expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0, fence: 2 }]);
      await second.stop();
      await service.expectInvariants();
    },
  );

  it('because it is asked to stop in the middle puts back what it holds, and another continues', async () => {
    await service.leaveOneEvaluator();
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer();
    await started;

    await service.stopBothEvaluators();
    expect(await service.world.residue()).toEqual([]);
    await service.world.startEvaluator();
    await service.untilScored([id]);

    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
    await service.expectInvariants();
  });

  const withFaketime = hasFaketime() ? it : it.skip;

  withFaketime('is not taken for one by a worker whose clock is an hour ahead', async () => {
    await service.leaveOneEvaluator();
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer();
    await started;
    // the run stays under way until the worker has checked for expired leases
    const release = await service.witness.hold([await service.specification(id)]);
    const ahead = service.world.startAnotherWorker('ahead', {
      // by its clock, every file that is being written is an hour old
      ASSAY_ORPHAN_SECONDS: '86400',
      LD_PRELOAD: FAKETIME!,
      FAKETIME: '+1h',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    await service.untilLogged('worker-ahead', 'is ready');
    await service.untilReconciled(`${service.world.instance}-worker-ahead`);
    expect(await service.runs(id)).toMatchObject([{ state: 'leased', stage: 'evaluation', attempts: 0 }]);
    await release();

    await service.untilScored([id]);
    const other = await service.submitPredictions();
    await service.untilScored([other]);

    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
    expect(await service.runs(other)).toMatchObject([{ state: 'done', attempts: 0 }]);
    // before it stops: a job that it has delayed is due by its own clock only
    await service.expectInvariants();
    await ahead.stop();
  });
}
