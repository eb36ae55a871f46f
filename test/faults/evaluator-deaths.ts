import { beforeAll, expect, it } from '@jest/globals';
import { inFullForm } from '../factories/test-form.js';
import { drawn, faultsRng, type FaultyService, type QueueBackendName } from './faulty-service.js';

/** The failpoints of a run, in the order in which they are reached. */
const FILE_STEPS = [
  'after-enqueue',
  'after-claim',
  'before-admission',
  'after-admission',
  'after-claim:2',
  'before-commit',
  'after-commit',
  'before-commit:2',
  'before-finish',
  'after-commit:3',
  'before-publish',
  'after-publish',
] as const;
const CONTAINER_STEPS = [
  'before-admission',
  'after-admission',
  'after-install',
  'after-start',
  'mid-dataset',
  'before-commit',
  'after-commit',
  'after-floor-start',
  'after-repeat-start',
  'before-finish',
] as const;
const BUNDLE_STEPS = ['before-admission', 'after-admission'] as const;
/** Events of the engine during a run. */
const ENGINE_STEPS = [
  { action: 'create', role: 'model' },
  { action: 'create', role: 'relay' },
  { action: 'start', role: 'model' },
  { action: 'destroy', role: 'model' },
] as const;

/** Registers the cases in which a worker or an evaluator is killed. */
export function evaluatorDeaths(queue: QueueBackendName, subject: () => FaultyService): void {
  const rng = faultsRng(`deaths on ${queue}`);
  let service: FaultyService;

  beforeAll(() => {
    service = subject();
  });

  inFullForm.each(FILE_STEPS)('at %s of a file of predictions loses nothing', async (step) => {
    await workerDiesAt(step);
  });

  it.each(drawn(rng, CONTAINER_STEPS, 1))('at %s of a model in a container loses nothing', async (step) => {
    // an image that is already admitted would skip admission
    const id = await diesAt(step, () => service.submitContainer('honest', 'new'));
    await expectSameScores(id);
  });

  // full form only: the engine must first build the image of the ONNX runner
  inFullForm.each(BUNDLE_STEPS)('at %s of an ONNX bundle loses nothing', async (step) => {
    const id = await diesAt(step, () => service.submitBundle(), 'failed');
    const [artifact] = await service.witness.rows(
      `select a.state from artifact a join run_specification s on s.artifact_id = a.id
         join model m on m.specification_id = s.id where m.id = $1`,
      [id],
    );
    expect(artifact).toEqual({ state: 'admitted' });
    expect(await service.world.model(id)).toMatchObject({ failure: { fault: 'model' } });
  });

  inFullForm.each(ENGINE_STEPS)('when the engine tells of $action of a $role leaves nothing', async (step) => {
    await service.stopBothEvaluators();
    await service.world.startEvaluator();
    const seen = service.engineWatch.next(step);
    const id = await service.submitContainer();
    await seen;
    await service.kill(service.evaluator);

    await service.world.startEvaluator();
    await service.untilScored([id]);
    await service.expectInvariants();
  });

  it('and never comes back has its model ended by the evaluator that takes its run', async () => {
    await service.startBothEvaluators();
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer();
    const { instance } = await started;
    await service.kill(service.evaluatorNamed(instance).process);

    await service.untilScored([id]);
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 1 }]);
    await expectSameScores(id);
    const left = () => service.world.engine.list([`assay.instance=${instance}`]);
    await service.world.until(async () => (await left()).length === 0, 60_000);
    // only it removes the files of its home
    await service.startBothEvaluators();
    await service.expectInvariants();
  });

  // CI covers this in test/medium/run-lease.spec.ts
  inFullForm('by the same run each time gives that run up, and the others go on', async () => {
    await service.stopBothWorkers();
    const [killer, ...others] = [
      await service.submitPredictions(),
      await service.submitPredictions(),
      await service.submitPredictions(),
    ];
    const [run] = await service.runs(killer);
    // simulates a supervisor that restarts the worker, which dies at every claim of that run
    let deaths = 0;
    let failed = false;
    const restarting = (async () => {
      while (!failed) {
        service.world.startWorker({ ASSAY_FAILPOINT: `after-claim@${run!.id}` });
        const { worker } = service;
        await worker.ended;
        if (!failed) deaths++;
      }
    })();
    expect((await service.untilFinal([killer])).get(killer)).toBe('failed');
    // by the same worker, which would die again at a claim of the first run
    await service.untilScored(others);
    failed = true;
    await service.stopBothWorkers();
    await restarting;

    service.world.startWorker();
    expect(deaths).toBe(3);
    expect(await service.world.model(killer)).toMatchObject({
      failure: { code: 'platform_failed', fault: 'platform' },
    });
    await service.expectInvariants();
  });

  let scores: readonly unknown[] | undefined;

  /**
   * Checks that all containers have the same scores, whichever evaluator was killed: they give the
   * same answers.
   */
  async function expectSameScores(id: string): Promise<void> {
    const { evaluations } = await service.world.model(id);
    const metrics = evaluations.map(({ dataset, metrics }) => [dataset, metrics]);
    expect(metrics).toEqual((scores ??= metrics));
  }

  async function workerDiesAt(step: string): Promise<void> {
    await service.stopBothWorkers();
    service.world.startWorker({ ASSAY_FAILPOINT: step });
    const id = await service.submitPredictions();
    expect(await service.worker.ended).toBe('was ended by SIGKILL');

    service.world.startWorker();
    await service.untilScored([id]);
    await service.expectInvariants();
  }

  async function diesAt(
    step: string,
    submit: () => Promise<string>,
    fate: 'scored' | 'failed' = 'scored',
  ): Promise<string> {
    await service.stopBothEvaluators();
    await service.world.startEvaluator({ ASSAY_FAILPOINT: step });
    const id = await submit();
    expect(await service.evaluator.ended).toBe('was ended by SIGKILL');

    await service.world.startEvaluator();
    expect((await service.untilFinal([id])).get(id)).toBe(fate);
    await service.expectInvariants();
    return id;
  }
}
