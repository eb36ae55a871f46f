import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConsoleLogger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { FakeGateway, json, problem, silent } from '../../../test/factories/services/fake-gateway.js';
import { until } from '../../../test/factories/until.js';
import { measuringLocks } from './host/measuring-locks.js';
import { ModelHost } from './host/model-host.js';
import { Registration } from './host/registration.js';
import { EvaluatorSettings } from './host/evaluator-settings.js';
import { EvaluatorModule } from './evaluator.module.js';

const REGISTRATION = { id: '3d813cbb-47fb-42ba-91df-831e1593ac29', name: 'gpu-1', owner: null, protocols: [1, 2] };

describe('EvaluatorModule', () => {
  let gateway: FakeGateway;
  let folder: string;

  beforeEach(async () => {
    gateway = await FakeGateway.start();
    folder = await mkdtemp(join(tmpdir(), 'evaluator-'));
    gateway.on('GET ', problem(503, 'unavailable'), json(REGISTRATION));
    gateway.on('DELETE /leases', json({ expired: 2 }));
    gateway.on('POST /leases', silent);
    gateway.on('POST /deployments/leases', silent);
    gateway.on(
      'PUT /presence',
      json({ serverTime: new Date().toISOString(), protocols: [1, 2], reportSeconds: 0.02, gone: ['gpu-2'] }),
    );
  });

  afterEach(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true });
  });

  it('registers, reports its host, leases runs and target models, and connects for questions', async () => {
    const settings = new EvaluatorSettings({
      ASSAY_URL: gateway.url,
      ASSAY_EVALUATOR_TOKEN: 'assay_token',
      ASSAY_EVALUATOR_HOME: folder,
      ASSAY_RUN_CONCURRENCY: '2',
      LOG_LEVEL: 'error',
    });
    let isClosed = false;
    const close = () => Promise.resolve(void (isClosed = true));
    let problem = 'The container engine does not answer.';
    const probe = () => (problem ? Promise.reject(new Error(problem)) : Promise.resolve(['runc', 'runsc']));
    const sweep = jest.fn((_live: () => ReadonlySet<string>, _gone: ReadonlySet<string>) => Promise.resolve(0));
    const driver = { neighbours: () => Promise.resolve(['gpu-0', 'gpu-2']), sweep };
    const modelHost = {
      inject: [Registration],
      factory: async (registration: Registration) => {
        const instance = await registration.instance();
        await registration.reportProblem('The engine is not ready.');
        const expired = await registration.expirePredecessors();
        return { instance, expired, probe, driver, locks: measuringLocks(folder), close };
      },
    };
    const app = await Test.createTestingModule({ imports: [EvaluatorModule.forRoot(settings)] })
      .overrideProvider(ModelHost)
      .useFactory(modelHost)
      .setLogger(new ConsoleLogger({ logLevels: [] }))
      .compile();
    await app.init();

    expect(app.get(ModelHost)).toMatchObject({ instance: 'gpu-1', expired: 2 });
    const host = {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      cpus: expect.any(Number),
      memoryBytes: expect.any(Number),
    };
    const common = { protocol: 2, version: expect.stringMatching(/^\d+\.\d+\.\d+/), slots: 2 };
    const reports = gateway.bodiesOf('PUT /presence').slice(0, 2);
    expect(reports).toEqual(
      ['The engine is not ready.', problem].map((reported) => ({
        ...common,
        host: { ...host, runtimes: [] },
        problem: reported,
        neighbours: [],
      })),
    );
    expect(sweep).not.toHaveBeenCalled();
    expect(gateway.of('POST /leases')).toHaveLength(0);

    problem = '';
    await until(() => sweep.mock.calls.length > 0);
    await until(() => gateway.of('POST /leases').length === 2);
    await until(() => gateway.of('POST /deployments/leases').length === 1 && gateway.sockets.length === 1);
    expect(sweep).toHaveBeenLastCalledWith(expect.any(Function), new Set(['gpu-2']));
    expect(gateway.bodiesOf('PUT /presence').at(-1)).toEqual({
      ...common,
      host: { ...host, runtimes: ['runc', 'runsc'] },
      problem: null,
      neighbours: ['gpu-0', 'gpu-2'],
    });

    problem = 'The disk is full.';
    const reported = () => gateway.bodiesOf('PUT /presence').at(-1) as { readonly problem: string | null };
    await until(() => reported().problem === 'The disk is full.');

    await app.close();
    expect(isClosed).toBe(true);
    expect(gateway.of('POST /leases')).toHaveLength(2);
    expect(gateway.of('POST /deployments/leases')).toHaveLength(1);
    await until(() => gateway.sockets.every(({ readyState, CLOSED }) => readyState === CLOSED));
  });
});
