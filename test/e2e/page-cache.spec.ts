import { createHash, randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxSpecification } from '@assay/sandbox';
import {
  buildImage,
  cachedPages,
  DockerEngine,
  DockerSandboxDriver,
  LayerPages,
  projectFolder,
} from '@assay/sandbox/docker';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerOf, readySandbox } from '../../libs/sandbox/src/sandbox-driver.contract.js';
import { probeImage } from '../../sandboxes/probes/image.js';

const PAGES = 48;
/** Further than the kernel reads ahead. */
const STRIDE = 512 * 1024;
const FILE = '/shared/pages';
const instance = `page-cache-${process.pid}`;
const never = new AbortController().signal;

/** Two images of two builders that begin with the same layers, as images from one base image do. */
const images = {
  writer: createHash('sha256').update(`${instance}-writer`).digest('hex'),
  reader: createHash('sha256').update(`${instance}-reader`).digest('hex'),
};

describe('the page cache, which images with the same layers share', () => {
  const engine = new DockerEngine();
  const pages = new LayerPages(engine);
  let folder: string;
  let driver: DockerSandboxDriver;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-pages-'));
    driver = new DockerSandboxDriver({ instance, engine, socketFolder: join(folder, 'r') });
    await writeFile(join(folder, 'pages'), randomBytes(PAGES * STRIDE));
    const { server, files = {}, linked = [] } = probeImage(projectFolder());
    for (const [name, digest] of Object.entries(images)) {
      const archive = join(folder, 'image.tar');
      await buildImage(
        {
          name,
          layers: [
            { files: { [FILE]: join(folder, 'pages') } },
            { files: { ...files, '/app/server.mjs': server, '/app/builder': { content: name } }, linked },
          ],
          entrypoint: ['/usr/local/bin/node', '/app/server.mjs'],
        },
        { path: archive, tag: `assay/model:${digest}` },
      );
      await driver.install({ digest, archive });
    }
  });

  afterAll(async () => {
    await driver.close();
    await driver.sweep(() => new Set());
    for (const digest of Object.values(images)) await driver.uninstall(digest);
    await rm(folder, { recursive: true, force: true });
  });

  const specification = (
    image: string,
    command: readonly string[],
    data: SandboxSpecification['data'],
  ): SandboxSpecification => ({
    image,
    command,
    data,
    environment: {},
    port: 8080,
    limits: { memory: 256 * 2 ** 20, cpus: 1, pids: 64, startSeconds: 60 },
    runtime: 'runc',
    labels: { run: `run-${command[0]}`, attempt: 1, owners: [image] },
  });

  /** A model is asked about rows that only its sandbox may see, and leaves a trace of each. */
  async function write(bits: readonly boolean[], data: SandboxSpecification['data']): Promise<void> {
    const command = ['page-cache-writer', FILE, String(STRIDE)];
    const sandbox = readySandbox(await driver.start(specification(images.writer, command, data), never));
    const instances = bits.map((bit) => ({ text: 'x'.repeat(bit ? 2 : 1) }));
    const body = Buffer.from(JSON.stringify({ instances }));
    answerOf(await sandbox.invoke(body, { deadline: 30_000, responseBytes: 65_536 }));
    await sandbox.stop();
  }

  /** A model of another builder looks for the trace, and prints it to its log. */
  async function read(): Promise<{ readonly bits: readonly boolean[]; readonly log: string }> {
    const command = ['page-cache-reader', FILE, String(STRIDE), String(PAGES)];
    const sandbox = readySandbox(await driver.start(specification(images.reader, command, 'readable'), never));
    try {
      const log = await sandbox.log();
      const cached = /^cached ([01]+)$/m.exec(log)![1]!;
      return { bits: Array.from(cached, (bit) => bit === '1'), log };
    } finally {
      await sandbox.stop();
    }
  }

  const secret = (): boolean[] => Array.from({ length: PAGES }, () => randomInt(2) === 1);

  it('carries what a sandbox with readable data touched to the next: there is a channel', async () => {
    await pages.evict(`assay/model:${images.reader}`);
    const bits = secret();

    await write(bits, 'readable');

    expect((await read()).bits).toEqual(bits);
  });

  it('carries nothing of hidden data, and no call of a sandbox looks into it', async () => {
    await pages.evict(`assay/model:${images.reader}`);

    await write(secret(), 'hidden');

    const [shared] = (await pages.foldersOf(`assay/model:${images.reader}`)).slice(-2);
    expect(await cachedPages([shared!])).toEqual({ files: 1, pages: 0, failed: 0 });
    const { bits, log } = await read();
    expect(bits).toEqual(Array.from({ length: PAGES }, () => false));
    const calls = [...log.matchAll(/^(\w+): (\d+)$/gm)].map(([, call, error]) => [call, Number(error)]);
    expect(calls).toHaveLength(6);
    // ENOSYS, or EPERM where the engine does not know the call
    expect(calls.filter(([, error]) => error !== 38 && error !== 1)).toEqual([]);
  });

  it('is cleaned by the sweep that finds what an evaluator left of a hidden sandbox', async () => {
    await pages.evict(`assay/model:${images.reader}`);
    const dying = new DockerSandboxDriver({ instance: `${instance}-dying`, engine, socketFolder: join(folder, 'd') });
    const command = ['page-cache-writer', FILE, String(STRIDE)];
    const sandbox = readySandbox(await dying.start(specification(images.writer, command, 'hidden'), never));
    const body = Buffer.from(JSON.stringify({ instances: secret().map(() => ({ text: 'xx' })) }));
    answerOf(await sandbox.invoke(body, { deadline: 30_000, responseBytes: 65_536 }));

    expect(await driver.sweep(() => new Set(), new Set([`${instance}-dying`]))).toBe(1);

    expect((await read()).bits).not.toContain(true);
  });
});
