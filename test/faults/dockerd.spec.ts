import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxUnavailable } from '@assay/sandbox';
import { DockerEngine as EngineClient } from '@assay/sandbox/docker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findProgram } from '../../scripts/services/debian-packages.js';
import { type DockerEngine, startPrivately } from '../../scripts/services/docker-engine.js';
import { RestartingProcess } from '../../scripts/services/restarting-process.js';
import { misbehavingImage } from '../factories/hostile/misbehaving-image.js';
import { isFullForm } from '../factories/test-form.js';
import { FaultyService, QUEUE_BACKENDS } from './faulty-service.js';

const canStart = process.getuid?.() === 0 && findProgram('dockerd') !== undefined;
if (isFullForm && !canStart) console.warn('SKIPPED: dockerd that is killed: only root can start one of its own');

/**
 * Full form only: a separate engine must build the platform images first. The short form has
 * engine-faults.ts instead.
 */
const withEngine = isFullForm && canStart ? describe : describe.skip;

withEngine.each(QUEUE_BACKENDS)('dockerd that is killed, with the queue on %s,', (queue) => {
  const usual = process.env['DOCKER_HOST'];
  let directory: string;
  let engine: DockerEngine;
  let service: FaultyService;

  beforeAll(async () => {
    directory = folderForEngine();
    engine = await start();
    // all code in this file that uses the default engine uses this one
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

  it('in the middle of a run costs it no attempt, and leaves no container', async () => {
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer('slow-in-the-end');
    await started;
    process.kill(engine.process!.pid, 'SIGKILL');
    await engine.process!.ended;

    await service.untilLogged('evaluator', 'the platform failed');
    await service.untilLogged('evaluator', 'this host cannot run models now: the container engine failed');
    engine = await start();

    await service.untilScored([id]);
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
    await service.expectInvariants();
  });

  it('in the middle of a run and started again at once, which ends the model, is no fault of the model', async () => {
    const started = service.engineWatch.next({ action: 'start', role: 'model' });
    const id = await service.submitContainer('slow-in-the-end');
    await started;
    process.kill(engine.process!.pid, 'SIGKILL');
    await engine.process!.ended;
    engine = await start();

    await service.untilScored([id]);
    expect(await service.runs(id)).toMatchObject([{ state: 'done' }]);
    await service.expectInvariants();
  });

  const start = (): Promise<DockerEngine> => startIn(directory);
});

const privately = canStart ? describe : describe.skip;

privately.each([false, true])(
  'an engine of our own (user namespaces: %s) that is killed while models run',
  (remapUsers) => {
    let directory: string;
    let archive: string;
    let engine: DockerEngine;
    let kept: RestartingProcess;
    let models: readonly number[];
    /** The folder of its socket and its pid files. */
    let runtime: string;

    beforeAll(async () => {
      directory = folderForEngine();
      archive = join(directory, 'model.tar');
      await misbehavingImage('engine that is killed', archive);
    });
    beforeEach(async () => {
      engine = await startIn(directory, remapUsers);
      runtime = dirname(engine.host.slice('unix://'.length));
      models = await startModels(new EngineClient(engine.host));
      kept = new RestartingProcess(engine.process!, () => undefined, engine.clear);
      kept.keep();
    });
    afterEach(async () => {
      await kept.stop();
      await engine.release?.();
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    const moments: [when: string, meanwhile: () => Promise<unknown>][] = [
      ['after it was killed once more while it loaded', async () => process.kill(await secondThatLoads(), 'SIGKILL')],
      ['while it loads again', () => secondThatLoads()],
      ['in the pause before it is started again', () => Promise.resolve()],
    ];
    it.each(isFullForm ? moments : moments.slice(0, 1))(
      '%s, leaves no model, no process of its own and no mount',
      async (_, meanwhile) => {
        process.kill(engine.process!.pid, 'SIGKILL');
        await engine.process!.ended;
        expect(models.map(lives)).toEqual([true, true]);
        await meanwhile();

        await kept.stop();
        await engine.release!();

        expect(models.map(lives)).toEqual([false, false]);
        expect(commandsWith(runtime)).toEqual([]);
        expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(directory);
        engine = await startIn(directory, remapUsers);
        kept = new RestartingProcess(engine.process!, () => undefined, engine.clear);
        const containers = await new EngineClient(engine.host).list([]);
        expect(containers.filter(({ State }) => State === 'running')).toEqual([]);
      },
    );

    it('reports the end of a model to those that wait for it, and stops waiting itself', async () => {
      const waiting = new AbortController();
      const client = new EngineClient(engine.host);
      const [container] = await client.list([]);
      const ended = client.wait(container!.Id, waiting.signal).then(
        () => 'ended',
        (error: unknown) => error,
      );
      await client.info();

      process.kill(engine.process!.pid, 'SIGKILL');

      expect(await ended).toBeInstanceOf(SandboxUnavailable);
      waiting.abort();
    });

    /** Starts two models that wait for requests. Returns their pids. */
    async function startModels(client: EngineClient): Promise<number[]> {
      const image = 'my-model:latest';
      if (!(await client.image(image))) await client.load(createReadStream(archive), statSync(archive).size);
      const runtimes = ['runc', findProgram('runsc') && !remapUsers ? 'runsc' : 'runc'];
      const started = runtimes.map(async (Runtime) => {
        const { id } = await client.create({
          Image: image,
          Cmd: ['honest'],
          HostConfig: { NetworkMode: 'none', Runtime },
        });
        await client.start(id);
        return (await client.inspect(id))!.State.Pid;
      });
      return Promise.all(started);
    }

    /** Waits for the engine that was restarted and does not respond yet. Returns its pid. */
    async function secondThatLoads(): Promise<number> {
      const loaded = timesLoaded();
      const file = join(runtime, 'docker.pid');
      const first = engine.process!.pid;
      let second = first;
      while (second === first || !lives(second)) {
        await sleep(10);
        second = existsSync(file) ? Number(readFileSync(file, 'utf8')) : first;
      }
      expect(timesLoaded()).toBe(loaded);
      return second;
    }

    const timesLoaded = (): number =>
      readFileSync(join(directory, 'docker.log'), 'utf8').split('Daemon has completed initialization').length;
  },
);

function folderForEngine(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-dockerd-'));
  chmodSync(directory, 0o711);
  return directory;
}

function startIn(directory: string, remapUsers = false): Promise<DockerEngine> {
  return startPrivately({
    remapUsers,
    directory: join(directory, 'data'),
    logs: directory,
    install: 'refused',
    say: () => undefined,
  });
}

function lives(pid: number): boolean {
  try {
    // a pid remains until the init process has reaped the zombie
    return pid > 1 && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function commandsWith(text: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && lives(Number(name)));
  const commands = pids.map((pid) => (existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''));
  return commands.filter((command) => command.includes(text));
}
