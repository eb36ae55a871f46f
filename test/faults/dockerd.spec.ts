import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findProgram } from '../../scripts/services/debian-packages.js';
import { type DockerEngine, startPrivately } from '../../scripts/services/docker-engine.js';
import { FaultyService, isFullForm, QUEUE_BACKENDS } from './faulty-service.js';

const canStart = process.getuid?.() === 0 && findProgram('dockerd') !== undefined;
if (isFullForm && !canStart) console.warn('SKIPPED: dockerd that is killed: only root can start one of its own');

/** An engine of its own needs the images of the platform first: the short form has engine-faults.ts instead. */
const withEngine = isFullForm && canStart ? describe : describe.skip;

withEngine.each(QUEUE_BACKENDS)('dockerd that is killed, with the queue on %s,', (queue) => {
  const directory = mkdtempSync(join(tmpdir(), 'assay-dockerd-'));
  const usual = process.env['DOCKER_HOST'];
  let engine: DockerEngine;
  let service: FaultyService;

  beforeAll(async () => {
    chmodSync(directory, 0o711);
    engine = await start();
    // whoever looks at the engine in this file looks at this one
    process.env['DOCKER_HOST'] = engine.host;
    service = await FaultyService.start({ queue });
  });
  afterAll(async () => {
    await service?.close();
    await engine?.process?.stop();
    await engine?.release?.();
    rmSync(directory, { recursive: true, force: true });
    if (usual === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = usual;
  });

  it('in the middle of a run costs it one attempt, and leaves no container', async () => {
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer('slow-in-the-end');
    await started;
    process.kill(engine.process!.pid, 'SIGKILL');
    await engine.process!.ended;

    await service.untilLogged('evaluator', 'the platform failed');
    await service.untilLogged('evaluator', 'it waits: the container engine failed');
    engine = await start();

    await service.untilScored([id]);
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 1 }]);
    await service.expectInvariants();
  });

  const start = (): Promise<DockerEngine> =>
    startPrivately({ directory: join(directory, 'data'), logs: directory, install: 'refused', say: () => undefined });
});
