import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildImage, DockerEngine, DockerSandboxDriver } from '@assay/sandbox/docker';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PSUTIL } from '../../scripts/services/test-tools.js';
import { isHere } from '../factories/needed.js';
import { answerOf, readySandbox } from '../factories/sandbox-driver.contract.js';

const mebibyte = 1024 * 1024;
const MEMORY = 512 * mebibyte;
const PYTHON = '/usr/bin/python3';
const instance = `psutil-${String(process.pid)}`;
const image = createHash('sha256').update(instance).digest('hex');
const hasPsutil = isHere(existsSync(PYTHON) && existsSync(PSUTIL), "psutil (Debian's package python3-psutil)");

/** Writes an image with Debian's Python, its standard library and psutil. */
async function buildPython(archive: string): Promise<void> {
  const program = await realpath(PYTHON);
  const library = join('/usr/lib', basename(program));
  // half of the folder is a static library for programs that embed Python
  const parts = readdirSync(library).filter((name) => !name.startsWith('config-'));
  const files = {
    [PYTHON]: program,
    ...Object.fromEntries([...parts.map((name) => join(library, name)), PSUTIL].map((path) => [path, path])),
    '/app/model.py': join(import.meta.dirname, 'sandbox-driver', 'psutil-model.py'),
  };
  const modules = readdirSync(PSUTIL).filter((name) => name.endsWith('.so'));
  const linked = [program, ...modules.map((name) => join(PSUTIL, name))];
  await buildImage(
    { name: 'model', layers: [{ files, linked }], entrypoint: [PYTHON, '/app/model.py'] },
    { path: archive, tag: `assay/model:${image}` },
  );
}

(hasPsutil ? describe : describe.skip)('psutil in a sandbox under runc', () => {
  let folder: string;
  let driver: DockerSandboxDriver;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-psutil-'));
    driver = new DockerSandboxDriver({ instance, engine: new DockerEngine(), socketFolder: join(folder, 'r') });
    const archive = join(folder, 'model.tar');
    await buildPython(archive);
    await driver.install({ digest: image, archive });
  }, 120_000);

  afterAll(async () => {
    await driver?.close();
    await driver?.uninstall(image);
    await rm(folder, { recursive: true, force: true });
  });

  it('reads the limits of the sandbox, and fails nowhere', async () => {
    const outcome = await driver.start(
      {
        image,
        environment: {},
        port: 8080,
        limits: { memory: MEMORY, cpus: 1, pids: 64, startSeconds: 60 },
        runtime: 'runc',
        data: 'readable',
        labels: { run: 'run-1', attempt: 1 },
      },
      new AbortController().signal,
    );
    const sandbox = readySandbox(outcome);
    try {
      const asked = await sandbox.invoke(Buffer.from('{}'), { deadline: 60_000, responseBytes: mebibyte });
      const idle: number[] = Array(10).fill(0);

      expect(answerOf(asked)).toEqual({
        cpu_count: 1,
        'os.cpu_count': 1,
        cpu_times: idle,
        'cpu_times of each': [idle],
        cpu_percent: 0,
        'cpu_percent of each': [0],
        cpu_stats: [0, 0, 0, 0],
        virtual_memory: expect.objectContaining({ total: MEMORY, available: MEMORY, used: 0, percent: 0 }),
        swap_memory: { total: 0, used: 0, free: 0, percent: 0, sin: 0, sout: 0 },
        disk_io_counters: null,
        boot_time: 0,
        // the C library calls sysinfo(2), which is known to show the load of the host
        getloadavg: Array(3).fill(expect.any(Number)),
        rss: expect.any(Number),
      });
      expect(await sandbox.log()).not.toContain('Error');
    } finally {
      await sandbox.stop();
    }
  });
});
