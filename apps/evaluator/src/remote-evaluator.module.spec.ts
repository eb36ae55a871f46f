import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleLogger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { FakeGateway, json, problem, silent } from '../../../test/factories/services/fake-gateway.js';
import { until } from '../../../test/factories/until.js';
import { ModelHost } from './host/model-host.js';
import { RemoteRegistration } from './host/remote-registration.js';
import { RemoteSettings } from './host/remote-settings.js';
import { RemoteEvaluatorModule } from './remote-evaluator.module.js';

const REGISTRATION = { id: '3d813cbb-47fb-42ba-91df-831e1593ac29', name: 'gpu-1', owner: null, protocols: [1] };

describe('RemoteEvaluatorModule', () => {
  let gateway: FakeGateway;
  let folder: string;

  beforeEach(async () => {
    gateway = await FakeGateway.start();
    folder = await mkdtemp(join(tmpdir(), 'remote-evaluator-'));
    gateway.on('GET ', problem(503, 'unavailable'), json(REGISTRATION));
    gateway.on('DELETE /leases', json({ expired: 2 }));
    gateway.on('POST /leases', silent);
    gateway.on('PUT /presence', json({ serverTime: new Date().toISOString(), protocols: [1] }));
  });

  afterEach(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true });
  });

  it('registers, reports its host and leases runs, without a database', async () => {
    const settings = new RemoteSettings({
      ASSAY_URL: gateway.url,
      ASSAY_EVALUATOR_TOKEN: 'assay_token',
      ASSAY_EVALUATOR_HOME: folder,
      ASSAY_RUN_CONCURRENCY: '2',
      LOG_LEVEL: 'error',
    });
    let isClosed = false;
    const close = () => Promise.resolve(void (isClosed = true));
    const runtimes = () => Promise.resolve(['runc', 'runsc']);
    const host = {
      inject: [RemoteRegistration],
      factory: async (registration: RemoteRegistration) => ({
        instance: await registration.instance(),
        expired: await registration.expirePredecessors(),
        probe: () => Promise.resolve(),
        runtimes,
        close,
      }),
    };
    const app = await Test.createTestingModule({ imports: [RemoteEvaluatorModule.forRoot(settings)] })
      .overrideProvider(ModelHost)
      .useFactory(host)
      .setLogger(new ConsoleLogger({ logLevels: [] }))
      .compile();
    await app.init();

    await until(() => gateway.of('POST /leases').length === 3);
    expect(app.get(ModelHost)).toMatchObject({ instance: 'gpu-1', expired: 2 });
    expect(gateway.bodiesOf('PUT /presence')).toEqual([
      {
        protocol: 1,
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        slots: 2,
        host: {
          architecture: process.arch === 'x64' ? 'amd64' : process.arch,
          cpus: expect.any(Number),
          memoryBytes: expect.any(Number),
          runtimes: ['runc', 'runsc'],
        },
      },
    ]);

    await app.close();
    expect(isClosed).toBe(true);
    expect(gateway.of('POST /leases')).toHaveLength(3);
  });
});
