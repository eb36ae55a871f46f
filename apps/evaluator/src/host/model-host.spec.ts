import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metrics } from '@assay/observability';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ModelHost } from './model-host.js';
import { SandboxMetrics } from './sandbox-metrics.js';

describe('ModelHost', () => {
  let folder: string;

  beforeEach(async () => {
    Logger.overrideLogger(false);
    folder = await mkdtemp(join(tmpdir(), 'model-host-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('reports that its engine does not answer, before it expires any lease', async () => {
    const dockerHost = `unix://${join(folder, 'no-engine.sock')}`;
    const settings = { instance: folder, dockerHost, engineSeconds: 1, workFolder: join(folder, 'work') };
    let expired = false;
    const service = {
      expirePredecessors: () => Promise.resolve(Number((expired = true))),
      // ends the start, which otherwise tries again
      reportProblem: (problem: string) => Promise.reject(new Error(`reported: ${problem}`)),
    };
    const start = ModelHost.start(settings, service, new SandboxMetrics(new Metrics()));
    await expect(start).rejects.toThrow(/^reported: the container engine failed at "/);
    expect(expired).toBe(false);
  });
});
