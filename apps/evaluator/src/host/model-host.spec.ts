import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metrics } from '@assay/observability';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ModelHost } from './model-host.js';
import { SandboxMetrics } from './sandbox-metrics.js';

describe('ModelHost', () => {
  let folder: string;
  const engines: Server[] = [];

  beforeEach(async () => {
    Logger.overrideLogger(false);
    folder = await mkdtemp(join(tmpdir(), 'model-host-'));
  });
  afterEach(async () => {
    for (const engine of engines.splice(0)) engine.close();
    await rm(folder, { recursive: true });
  });

  /** Starts an engine that tells its ID and then answers nothing more. Returns its address. */
  async function engineWith(id: string): Promise<string> {
    const engine = createServer((request, response) => {
      if (request.url?.endsWith('/info')) response.end(JSON.stringify({ ID: id }));
      else request.destroy();
    });
    engines.push(engine);
    const path = join(folder, `${engines.length}.sock`);
    await new Promise<void>((resolve) => engine.listen(path, resolve));
    return `unix://${path}`;
  }

  /** Starts a host. Its first problem ends the start, which otherwise would try again. */
  function start(
    dockerHost: string,
    lockScope: string | undefined,
    onProblem: (problem: string) => Promise<void>,
  ): Promise<ModelHost> {
    const workFolder = join(folder, 'work');
    const settings = { instance: folder, dockerHost, engineSeconds: 1, lockScope, workFolder };
    const service = {
      expirePredecessors: () => Promise.reject(new Error('expired leases')),
      reportProblem: onProblem,
    };
    return ModelHost.start(settings, service, new SandboxMetrics(new Metrics()));
  }

  it('reports that its engine does not answer, before it expires any lease', async () => {
    const dockerHost = `unix://${join(folder, 'no-engine.sock')}`;

    const started = start(dockerHost, undefined, (problem) => Promise.reject(new Error(`reported: ${problem}`)));

    await expect(started).rejects.toThrow(/^reported: the container engine failed at "info"/);
  });

  it('waits for a predecessor of its name on the same engine, or with the same scope, and for no other one', async () => {
    const order: string[] = [];
    const ended = new Error('the start ended');
    const starting = async (name: string, engine: string, scope?: string) => {
      const isEnding = Promise.withResolvers<null>();
      const hasLock = Promise.withResolvers<null>();
      const host = start(await engineWith(engine), scope, async () => {
        order.push(name);
        hasLock.resolve(null);
        await isEnding.promise;
        throw ended;
      });
      const end = async () => {
        isEnding.resolve(null);
        await expect(host).rejects.toBe(ended);
      };
      return { hasLock: hasLock.promise, end };
    };
    const first = await starting('first', `${folder}-one`);
    await first.hasLock;
    const successor = await starting('successor', `${folder}-one`);
    const named = await starting('the same scope', 'another engine', `${folder}-one`);
    const other = await starting('another engine', `${folder}-two`);

    await other.hasLock;
    expect(order).toEqual(['first', 'another engine']);
    await first.end();
    await Promise.race([successor.hasLock, named.hasLock]);
    expect(order).toHaveLength(3);
    const [next, last] = order[2] === 'successor' ? [successor, named] : [named, successor];
    await next.end();
    await last.hasLock;
    await Promise.all([last.end(), other.end()]);
  });
});
