import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DockerEngine } from './docker-engine.js';
import { DockerSandbox } from './docker-sandbox.js';

const MEMORY = 1000;

describe('DockerSandbox, where the engine does not tell that the kernel killed for want of memory', () => {
  let folder: string;
  let relay: Server;
  let sandbox: DockerSandbox;
  let end: () => void;

  /** Writes the counter of the kernel: `null` as when the cgroup has been removed. */
  const kernelCounts = (kills: number | null) =>
    write('cgroups/model/memory.events', kills === null ? '' : `oom_kill ${kills}\n`);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-'));
    await write('proc/7/cgroup', '0::/model\n');
    await write('cgroups/model/memory.stat', 'anon 1\nshmem 0\n');
    await kernelCounts(0);

    const ended = new Promise<void>((resolve) => (end = resolve));
    const engine = {
      inspect: () => Promise.resolve({ State: { Pid: 7, ExitCode: 137, OOMKilled: false, Status: 'exited' } }),
      wait: () => ended,
    } as unknown as DockerEngine;
    sandbox = new DockerSandbox({
      id: 'sandbox',
      engine,
      limits: { memory: MEMORY, cpus: 1, pids: 64, startSeconds: 60 },
      share: { own: false, cores: [0], others: [0], quota: 1 },
      socketPath: join(folder, 's'),
      dispose: () => Promise.resolve(),
      kernel: { proc: join(folder, 'proc'), cgroups: join(folder, 'cgroups') },
    });
    await sandbox.watchModel('model');
  });

  afterEach(async () => {
    await sandbox.stop();
    relay.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }

  /** The model dies at its first request: its connection breaks, then its cgroup is removed, then the engine says that it ended. */
  async function dyingModel(kills: number, reported: () => void = () => end()): Promise<void> {
    relay = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => void kernelCounts(kills).then(() => socket.end()));
      // once the sandbox has closed its end as well
      socket.once('close', () => {
        relay.close();
        void kernelCounts(null).then(reported);
      });
    });
    await new Promise<void>((resolve) => relay.listen(join(folder, 's'), resolve));
  }

  const ask = () => sandbox.invoke(Buffer.from('{}'), { deadline: 10_000, responseBytes: 1000 });

  it('has counted the kill before the cgroup is removed: during a request', async () => {
    await dyingModel(1);

    expect(await ask()).toEqual({ kind: 'exceeded', limit: 'memory', amount: MEMORY });
  });

  it('has counted the kill before the cgroup is removed: at the start', async () => {
    await dyingModel(1);

    expect(await sandbox.ready(new AbortController().signal)).toEqual({
      kind: 'exceeded',
      limit: 'memory',
      amount: MEMORY,
    });
  });

  it('waits longer for an engine that is slow to report the end, once the cgroup is removed', async () => {
    await dyingModel(0, () => setTimeout(end, 2500));

    expect(await ask()).toEqual({ kind: 'exited', code: 137, signal: 'SIGKILL' });
  });

  it('calls the end of a model in which nothing was killed an exit', async () => {
    await dyingModel(0);

    expect(await ask()).toEqual({ kind: 'exited', code: 137, signal: 'SIGKILL' });
  });
});
