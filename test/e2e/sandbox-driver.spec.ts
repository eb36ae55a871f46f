import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Sandbox, type SandboxSpecification, SandboxUnavailable } from '@assay/sandbox';
import { buildImage, cachedPages, DockerEngine, DockerSandboxDriver, LayerPages } from '@assay/sandbox/docker';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { withGvisor } from '../factories/hostile/gvisor.js';
import { answerOf, readySandbox, sandboxDriverContract } from '../factories/sandbox-driver.contract.js';
import { until } from '../factories/until.js';

const mebibyte = 1024 * 1024;
/** A file in the model's image that the model does not need. */
const WEIGHTS = '/app/weights';
const instance = `spec-${String(process.pid)}`;
const image = createHash('sha256').update(instance).digest('hex');

async function installModel(driver: DockerSandboxDriver, folder: string): Promise<void> {
  const archive = join(folder, 'model.tar');
  const model = join(import.meta.dirname, 'sandbox-driver', 'model.mjs');
  await buildImage(
    {
      name: 'model',
      layers: [{ files: { '/app/model.mjs': model, [WEIGHTS]: { content: Buffer.alloc(mebibyte) } } }],
      entrypoint: ['/usr/local/bin/node', '/app/model.mjs'],
    },
    { path: archive, tag: `assay/model:${image}` },
  );
  await driver.install({ digest: image, archive });
}

const engine = new DockerEngine();
let folder: string;
let driver: DockerSandboxDriver;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-spec-'));
  driver = new DockerSandboxDriver({ instance, engine, socketFolder: join(folder, 'r') });
  await installModel(driver, folder);
});

afterAll(async () => {
  await driver.close();
  await driver.sweep(() => new Set());
  await driver.uninstall(image);
  await rm(folder, { recursive: true, force: true });
});

/** Returns the folders of sandboxes, without those that all of them share. */
const foldersIn = async (root: string): Promise<string[]> =>
  (await readdir(root)).filter((name) => name !== 'relay-files' && name !== 'proc-files');

async function residue(): Promise<string[]> {
  const containers = await engine.list([`assay.instance=${instance}`]);
  const folders = await foldersIn(join(folder, 'r'));
  return [...containers.flatMap(({ Names }) => Names), ...folders];
}

/** Stores how many bytes are sent to the engine for each image. */
class MeasuredEngine extends DockerEngine {
  readonly sent: number[] = [];

  override load(archive: Readable, bytes: number): Promise<void> {
    this.sent.push(bytes);
    return super.load(archive, bytes);
  }
}

/** Has an image with these layers until one is sent to it. */
class ForgetfulEngine extends MeasuredEngine {
  constructor(private readonly layers: readonly string[]) {
    super();
  }

  override async images(): Promise<string[]> {
    return [...(await super.images()), ...(this.sent.length === 0 ? ['forgotten'] : [])];
  }

  override async image(name: string) {
    return name === 'forgotten' ? ({ RootFS: { Layers: this.layers } } as never) : super.image(name);
  }
}

const { Runtimes: runtimes = {} } = await engine.info();
const contract = (runtime: SandboxSpecification['runtime']) =>
  sandboxDriverContract(`Docker with ${runtime}`, () =>
    Promise.resolve({ driver, image, runtime, residue, close: () => Promise.resolve() }),
  );

const hasGvisor = 'runsc' in runtimes;

contract('runc');
// CI covers the rules that gVisor enforces itself: below, and with the probes
if (process.env['PROBES_ALONE'] !== undefined) withGvisor(hasGvisor, () => contract('runsc'));

describe('DockerSandboxDriver', () => {
  const never = new AbortController().signal;

  function specification(change: Partial<SandboxSpecification> = {}): SandboxSpecification {
    return {
      image,
      environment: {},
      port: 8080,
      limits: { memory: 512 * mebibyte, cpus: 1, pids: 64, startSeconds: 60 },
      runtime: 'runc',
      data: 'readable',
      labels: { run: 'run-1', attempt: 1 },
      ...change,
    };
  }

  async function withModel(
    use: (sandbox: Sandbox) => Promise<void>,
    change?: Partial<SandboxSpecification>,
  ): Promise<void> {
    const sandbox = readySandbox(await driver.start(specification(change), never));
    try {
      await use(sandbox);
    } finally {
      await sandbox.stop();
    }
  }

  const ask = async (sandbox: Sandbox, request: object): Promise<Record<string, unknown>> =>
    answerOf(
      await sandbox.invoke(Buffer.from(JSON.stringify(request)), { deadline: 60_000, responseBytes: mebibyte }),
    ) as Record<string, unknown>;

  const like = (line: RegExp): unknown => expect.stringMatching(line);
  /**
   * The restrictions that the kernel shows to a model. gVisor enforces them in its own way and does
   * not show them.
   */
  const shownBy = {
    runc: {
      status: like(/^NoNewPrivs:\t1\nSeccomp:\t2$/m),
      limits: like(
        /^Max file size +536870912 +536870912 [^]*^Max core file size +0 +0 [^]*^Max open files +1024 +1024 [^]*^Max locked memory +65536 +65536 [^]*^Max msgqueue size +0 +0 /m,
      ),
      mounts: like(
        / \/tmp rw,nosuid,nodev,relatime .*- tmpfs tmpfs rw,size=524288k,nr_inodes=65536,uid=\d*65534,gid=\d*65534/,
      ),
    },
    runsc: {
      mounts: like(/^\d+ \d+ \S+ \S+ \/run\/assay-relay ro/m),
    },
  };

  describe.each(hasGvisor ? (['runc', 'runsc'] as const) : (['runc'] as const))('with %s', (runtime) => {
    it('shows a model no network, no way to write but /tmp, and no rights', () =>
      withModel(
        async (sandbox) => {
          const seen = await ask(sandbox, { do: 'look' });

          expect(seen).toMatchObject({
            interfaces: ['lo'],
            user: 65534,
            group: 65534,
            rootWritable: false,
            temporaryWritable: true,
            environment: { HOME: '/tmp', HF_HOME: '/tmp/huggingface', OMP_NUM_THREADS: '1', AIP_HTTP_PORT: '8080' },
          });
          expect(seen.status).toMatch(/^CapBnd:\t0+$/m);
          expect(seen.status).toMatch(/^CapEff:\t0+$/m);
          expect(seen.mounts).not.toContain('/run/relay');
          expect(seen.resolver).toBe('nameserver 127.0.0.1\n');
          expect(seen).toMatchObject(shownBy[runtime]);
        },
        { runtime },
      ));

    it('gives a model a quarter of the default weight on its cores', () =>
      withModel(
        async (sandbox) => {
          expect(await modelOf(sandbox)).toMatchObject({ HostConfig: { CpuShares: 256 } });
          expect(await ask(sandbox, { do: 'echo' })).toEqual({ do: 'echo' });
        },
        { runtime },
      ));
  });

  const modelOf = ({ id }: Sandbox) => engine.docker.getContainer(`assay-${id}-model`).inspect();

  it('leaves most of a core to a container with the default weight', () =>
    withModel(async (sandbox) => {
      const model = await modelOf(sandbox);
      const neighbour = await engine.create({
        Image: `assay/model:${image}`,
        Entrypoint: ['/usr/local/bin/node', '-e', 'for (;;);'],
        HostConfig: { CpusetCpus: model.HostConfig.CpusetCpus!, NetworkMode: 'none' },
      });
      const computing = new AbortController();
      const compute = async () => {
        while (!computing.signal.aborted) await ask(sandbox, { do: 'compute', rounds: 10 });
      };
      const computed = compute();
      try {
        await neighbour.start();
        const start = await secondsOf(model.Id);
        await until(async () => (await secondsOf(neighbour.id)) > 2);
        const [own, others] = [(await secondsOf(model.Id)) - start, await secondsOf(neighbour.id)];

        // 4 by their weights
        expect(others / own).toBeGreaterThan(2);
      } finally {
        computing.abort();
        await engine.remove(neighbour.id);
        await computed;
      }
    }));

  /** Returns the CPU seconds that a container has used. */
  async function secondsOf(container: string): Promise<number> {
    const { cpu_stats } = await engine.docker.getContainer(container).stats({ stream: false, 'one-shot': true });
    return cpu_stats.cpu_usage.total_usage / 1e9;
  }

  it('shows a model its own share of the host under runc, and no use of it', () =>
    withModel(async (sandbox) => {
      const { masked, files, cpus, memory } = await ask(sandbox, { do: 'host' });

      expect(new Set(Object.values(masked as object))).toEqual(new Set(['']));
      expect(files).toMatchObject({
        diskstats: '',
        loadavg: '0.00 0.00 0.00 1/1 1\n',
        stat: like(/^cpu {2}(0 ){9}0\ncpu0 (0 ){9}0\nintr 0\n/),
      });
      expect(cpus).toBe(1);
      expect(memory).toEqual([512 * mebibyte, 512 * mebibyte]);
    }));

  it('does not let the environment of a submission change what the platform sets', () =>
    withModel(
      async (sandbox) => {
        const { environment } = await ask(sandbox, { do: 'look' });

        expect(environment).toMatchObject({ OWN: 'kept', HOME: '/tmp' });
      },
      { environment: { OWN: 'kept', HOME: '/root' } },
    ));

  it('reads 150 MB that were there for 200 ms', () =>
    withModel(async (sandbox) => {
      const before = (await sandbox.memory()).peak ?? 0;
      await ask(sandbox, { do: 'spike', bytes: 150e6, milliseconds: 200 });
      const after = await sandbox.memory();

      expect((after.peak ?? 0) - before).toBeGreaterThan(140e6);
      expect(after.cgroupPeak).toBeGreaterThan(140e6);
    }));

  it('trusts no figure that was clocked while this process stood still', () =>
    withModel(async (sandbox) => {
      await sandbox.contended();
      const end = performance.now() + 500;
      while (performance.now() < end);

      expect(await sandbox.contended()).toBe(true);
    }));

  it('keeps the end of a log, and not more of it than is asked for', () =>
    withModel(async (sandbox) => {
      await ask(sandbox, { do: 'talk', bytes: 5e6 });

      // the engine writes the log asynchronously: it may not have finished
      let log = await sandbox.log(1000);
      for (let look = 0; look < 500 && !/the last line\n?$/.test(log); look++) log = await sandbox.log(1000);
      expect(log).toMatch(/the last line\n?$/);
      expect(Buffer.byteLength(await sandbox.log(1000))).toBeLessThanOrEqual(1000);
      expect(Buffer.byteLength(await sandbox.log(1e9))).toBeLessThan(1.5e6);
    }));

  describe('with an image that shares layers with another one', () => {
    const other = createHash('sha256').update(`${instance} other`).digest('hex');

    async function built(): Promise<{ readonly archive: string; readonly layers: readonly string[] }> {
      const archive = join(folder, 'other.tar');
      const model = join(import.meta.dirname, 'sandbox-driver', 'model.mjs');
      const recipe = {
        name: 'model',
        layers: [{ files: { '/app/other.mjs': model, '/app/name': { content: instance } } }],
        entrypoint: ['/usr/local/bin/node', '/app/other.mjs'],
      };
      const { layers } = await buildImage(recipe, { path: archive, tag: `assay/model:${other}` });
      return { archive, layers };
    }

    /** Installs and starts it. */
    async function start(measured: MeasuredEngine, archive: string): Promise<void> {
      const sharing = new DockerSandboxDriver({ instance, engine: measured, socketFolder: join(folder, 'r') });
      await sharing.install({ digest: other, archive });
      try {
        const sandbox = readySandbox(await sharing.start(specification({ image: other }), never));
        await sandbox.stop();
      } finally {
        await sharing.uninstall(other);
      }
    }

    it('sends only the others', async () => {
      const { archive } = await built();
      const measured = new MeasuredEngine();
      await start(measured, archive);
      expect(measured.sent).toHaveLength(1);
      // the layer of Node, which has more than 100 MB, is on the engine
      expect(measured.sent[0]).toBeLessThan(mebibyte);
    });

    it('sends all of them if the other one is removed meanwhile', async () => {
      const { archive, layers } = await built();
      const forgetful = new ForgetfulEngine(layers);
      await start(forgetful, archive);
      const { size } = await stat(archive);
      expect(forgetful.sent).toEqual([expect.any(Number), size]);
      expect(forgetful.sent[0]).toBeLessThan(mebibyte);
    });
  });

  it('says what the engine said of a command that is not there', async () => {
    const { digest } = await withoutCommand();
    try {
      const outcome = await driver.start(specification({ image: digest }), never);

      expect(outcome).toMatchObject({ kind: 'exited', code: 127, log: expect.stringContaining('/nothing/here') });
      expect(await residue()).toEqual([]);
    } finally {
      await driver.uninstall(digest);
    }
  });

  it('is unavailable where the engine lacks the runtime, the image or an answer', async () => {
    if (!('runsc' in runtimes)) {
      await expect(driver.start(specification({ runtime: 'runsc' }), never)).rejects.toThrow('no runtime "runsc"');
    }
    await expect(driver.start(specification({ image: 'f'.repeat(64) }), never)).rejects.toThrow(SandboxUnavailable);

    const nowhere = new DockerSandboxDriver({ instance, engine: new DockerEngine(`unix://${folder}/none.sock`) });
    await expect(nowhere.start(specification(), never)).rejects.toThrow(SandboxUnavailable);
    expect(await residue()).toEqual([]);
  });

  it('does not take the hand of another for the end of a model', async () => {
    class Taken extends DockerEngine {
      override async start(id: string): Promise<void> {
        await super.start(id);
        // as the sweep of another evaluator may do at any moment of a start
        void this.remove(id).catch(() => undefined);
      }
    }
    const taken = new DockerSandboxDriver({
      instance: `${instance}-taken`,
      engine: new Taken(),
      socketFolder: join(folder, 't'),
    });
    for (let start = 0; start < 10; start++)
      await expect(taken.start(specification(), never)).rejects.toThrow(SandboxUnavailable);
    await taken.close();
  });

  // in the future, so that the sweeps of other tests on this engine leave these containers alone
  const deadline = Date.now() + 86_400_000;

  /**
   * Runs a sweep of this instance after the deadline, limited to the containers that these tests
   * have started.
   */
  async function sweepLate(live: ReadonlySet<string>): Promise<number> {
    class OwnContainers extends DockerEngine {
      override async list(labels: readonly string[]): ReturnType<DockerEngine['list']> {
        const own = new Set([instance, `${instance}-other`]);
        return (await super.list(labels)).filter(({ Labels }) => own.has(Labels['assay.instance'] ?? ''));
      }
    }
    const sweeping = new DockerSandboxDriver({
      instance,
      engine: new OwnContainers(),
      socketFolder: join(folder, 'r'),
    });
    const clock = jest.spyOn(Date, 'now').mockReturnValue(deadline + 1000);
    try {
      return await sweeping.sweep(() => live);
    } finally {
      clock.mockRestore();
    }
  }

  it('sweeps away what is past its deadline, whoever it belongs to', async () => {
    const other = new DockerSandboxDriver({ instance: `${instance}-other`, engine, socketFolder: join(folder, 'o') });
    await other.start(specification({ labels: { run: 'run-9', attempt: 1, deadline } }), never);

    expect(await driver.sweep(() => new Set(['run-9']))).toBe(0);
    expect(await sweepLate(new Set(['run-9']))).toBe(1);
    expect(await other.sweep(() => new Set())).toBe(0);
    await other.close();
  });

  it('sweeps away what belongs to an instance that is gone, and nothing of any other', async () => {
    const root = join(folder, 'g');
    const [gone, alive] = ['gone', 'alive'].map(
      (name) => new DockerSandboxDriver({ instance: `${instance}-${name}`, engine, socketFolder: root }),
    );
    const left = readySandbox(
      await gone!.start(specification({ labels: { run: 'run-1', attempt: 1, deadline } }), never),
    );
    const kept = readySandbox(
      await alive!.start(specification({ labels: { run: 'run-1', attempt: 1, deadline } }), never),
    );
    const unseen = `${left.id.slice(0, 8)}${'0'.repeat(12)}`;
    await mkdir(join(root, unseen));
    const sweeping = new DockerSandboxDriver({ instance, engine, socketFolder: root });

    expect(await sweeping.sweep(() => new Set(['run-1']), new Set([`${instance}-gone`]))).toBe(2);
    expect(await gone!.sweep(() => new Set())).toBe(0);
    expect(await foldersIn(root)).toEqual([kept.id]);
    expect(await ask(kept, { do: 'echo' })).toEqual({ do: 'echo' });
    await Promise.all([gone!.close(), alive!.close()]);
  });

  it('evicts from the page cache what it sweeps away of a sandbox with hidden data', async () => {
    const gone = `${instance}-hidden`;
    const dying = new DockerSandboxDriver({ instance: gone, engine, socketFolder: join(folder, 'h') });
    const sandbox = readySandbox(await dying.start(specification({ data: 'hidden' }), never));
    const [layer] = await new LayerPages(engine).foldersOf(`assay/model:${image}`);
    expect(await ask(sandbox, { do: 'read', path: WEIGHTS })).toBe(mebibyte);
    expect((await cachedPages([layer!])).pages).toBeGreaterThan(0);

    expect(await driver.sweep(() => new Set(), new Set([gone]))).toBe(1);

    expect(await cachedPages([layer!])).toEqual({ files: 2, pages: 0, failed: 0 });
  });

  it('says what it could not remove when it is closed', async () => {
    class Stuck extends DockerEngine {
      override remove(): Promise<void> {
        return Promise.reject(new SandboxUnavailable('the engine hangs'));
      }
    }
    const said: string[] = [];
    const stuck = `${instance}-stuck`;
    const closing = new DockerSandboxDriver({
      instance: stuck,
      engine: new Stuck(),
      socketFolder: join(folder, 'c'),
      log: (message) => said.push(message),
    });
    const { id } = readySandbox(await closing.start(specification(), never));

    await closing.close();

    expect(said).toEqual([`sandbox ${id} was not stopped and is left to the sweep: the engine hangs`]);
    expect(await driver.sweep(() => new Set(), new Set([stuck]))).toBe(1);
  });

  it('sweeps away the folder of a start that nobody lived to see, and no other', async () => {
    const root = join(folder, 's');
    const own = new DockerSandboxDriver({ instance: `${instance}-own`, engine, socketFolder: root });
    const sandbox = readySandbox(await own.start(specification(), never));
    const [prefix, random] = [sandbox.id.slice(0, 8), sandbox.id.slice(8)];
    const unseen = `${prefix}${random.split('').reverse().join('')}`;
    const ofAnother = `${prefix.split('').reverse().join('')}${random}`;
    for (const name of [unseen, ofAnother]) await mkdir(join(root, name));

    expect(await own.sweep(() => new Set(['run-1']))).toBe(1);
    expect((await foldersIn(root)).sort()).toEqual([ofAnother, sandbox.id].sort());
    await own.close();
  });

  it('keeps its own that is at work, whatever the clock says', async () => {
    const labels = { run: 'run-10', attempt: 1, deadline };
    const sandbox = readySandbox(await driver.start(specification({ labels }), never));

    expect(await sweepLate(new Set(['run-10']))).toBe(0);
    expect(await ask(sandbox, { do: 'echo' })).toEqual({ do: 'echo' });
    await sandbox.stop();
  });

  it('keeps the name of an image that is in use', () =>
    withModel(async () => {
      await expect(driver.uninstall(image)).rejects.toThrow();
      expect(await driver.isInstalled(image)).toBe(true);
    }));

  it('forgets an image that was uninstalled', async () => {
    const { digest } = await withoutCommand();

    expect(await driver.isInstalled(digest)).toBe(true);
    await driver.uninstall(digest);
    await driver.uninstall(digest);
    expect(await driver.isInstalled(digest)).toBe(false);
  });

  async function withoutCommand(): Promise<{ digest: string }> {
    const digest = createHash('sha256').update(`${instance}-empty`).digest('hex');
    const archive = join(folder, 'empty.tar');
    await buildImage(
      { name: 'model', layers: [], entrypoint: ['/nothing/here'] },
      { path: archive, tag: `assay/model:${digest}` },
    );
    await driver.install({ digest, archive });
    return { digest };
  }
});
