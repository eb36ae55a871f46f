import { join } from 'node:path';
import type { RegisteredEvaluators } from '@assay/contracts/evaluators';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { inFullForm } from '../factories/test-form.js';
import { CutNetwork } from './cut-network.js';
import type { FaultyService } from './faulty-service.js';
import { SmallDisk } from './small-disk.js';

const MEBIBYTE = 1024 ** 2;
/** The name of the evaluator with a disk of its own, and its log. */
const [NAME, LOG] = ['small', 'evaluator-small'];

/** Registers the cases in which the disk of an evaluator is full. */
export function evaluatorDisk(subject: () => FaultyService): void {
  let disk: SmallDisk;
  let service: FaultyService;
  let network: CutNetwork;

  beforeAll(async () => {
    service = subject();
    const mounted = SmallDisk.mount();
    if (!mounted) throw new Error('This process may not mount a disk.');
    disk = mounted;
    network = await CutNetwork.to(service.world.url);
  });
  afterAll(async () => {
    await service?.world.another(NAME)?.stop();
    await network?.close();
    disk?.unmount();
  });

  // CI covers the release of a run by a host that cannot run models in leased-runs.spec.ts
  inFullForm('in the middle of a run gives it back without an attempt, and runs others when it has room', async () => {
    const { world } = service;
    await service.stopBothEvaluators();
    await world.startAnother(NAME, { ASSAY_EVALUATOR_HOME: join(disk.path, 'home') }, { url: network.url });
    await service.untilLogged(LOG, 'is ready');

    const cut = network.cutAfter(MEBIBYTE);
    const id = await service.submitContainer('honest', 'new');
    await cut;
    // the download of the artifact continues, and finds no room
    disk.shrinkTo(MEBIBYTE);
    network.mend();
    await service.untilLogged(LOG, 'ENOSPC');
    await service.untilUnable();
    expect(await problemOf(service)).toContain(`The disk of ${disk.path}`);
    expect(await service.runs(id)).toMatchObject([{ state: 'queued', attempts: 0 }]);

    await service.leaveOneEvaluator();
    await service.untilScored([id]);
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);

    await service.stopBothEvaluators();
    const next = await service.submitContainer();
    disk.grow();
    await service.untilScored([next]);
    expect(await service.runs(next)).toMatchObject([{ state: 'done', attempts: 0 }]);
    await world.until(async () => (await problemOf(service)) === null, 60_000);
    await service.expectInvariants();
  });
}

/** Returns why the evaluator cannot run models, as the list of evaluators says; null: it can. */
async function problemOf({ world }: FaultyService): Promise<string | null> {
  const { body } = await world.expect(200, 'GET', '/evaluators', { token: world.admin });
  const { items } = body as RegisteredEvaluators;
  return items.find(({ name }) => name === `${world.instance}-${NAME}`)!.problem;
}
