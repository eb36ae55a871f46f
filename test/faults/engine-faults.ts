import { DockerEngine } from '@assay/sandbox/docker';
import { expect, it } from '@jest/globals';
import type { EngineProxy } from './engine-proxy.js';
import { inFullForm } from '../factories/test-form.js';
import { type FaultyService } from './faulty-service.js';

interface Subject {
  readonly service: FaultyService;
  /** The proxy between the evaluators and their engine. */
  readonly engine: EngineProxy;
}

/** Registers the cases in which the Docker engine is unavailable or does not respond. */
export function engineFaults(subject: () => Subject): void {
  it('loses no attempt of a run whose Docker engine goes away', () =>
    survives((engine) => engine.refuse(), 'this host cannot run models now: the container engine failed'));

  inFullForm('loses none where the engine hangs', () =>
    survives((engine) => engine.hang(), 'this host cannot run models now: the container engine did not answer'),
  );

  it('does not blame a model that dies of an engine that is there again at once', async () => {
    const { service, engine } = subject();
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer('slow-in-the-end');
    const { container } = await started;
    await service.world.untilEvent(id, ({ type }) => type === 'progress');
    // simulates a killed engine: clients that wait for a response are cut off, and the restarted
    // engine kills the containers of its predecessor
    engine.refuse();
    await new DockerEngine().docker.getContainer(container).kill();
    engine.forward();

    await service.untilScored([id]);
    // an attempt, unless the evaluator has seen that the engine was gone
    const [run] = await service.runs(id);
    expect(run!.attempts).toBeLessThanOrEqual(1);
    await service.expectInvariants();
  });

  async function survives(hurt: (engine: EngineProxy) => void, reason: string): Promise<void> {
    const { service, engine } = subject();
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer('slow-in-the-end');
    await started;
    service.forgetLog('evaluator');
    hurt(engine);

    await service.untilLogged('evaluator', 'the platform failed');
    await service.untilLogged('evaluator', reason);
    await service.untilUnable();
    // work that needs no engine continues, and the evaluator survives
    await service.untilScored([await service.submitPredictions()]);
    expect(service.world.evaluator.running).toBe(true);
    expect(await service.runs(id)).toMatchObject([{ state: 'queued', attempts: 0 }]);

    engine.forward();
    await service.untilScored([id]);
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
    await service.expectInvariants();
  }
}
