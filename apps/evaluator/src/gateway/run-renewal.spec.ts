import { DatasetStarted } from '@assay/contracts/gateway';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeGateway, hangUp, noContent, problem, silent } from '../../../../test/factories/services/fake-gateway.js';
import { leasedRunView, RUN } from '../../../../test/factories/services/leased-run-view.js';
import { until } from '../../../../test/factories/until.js';
import { RunRenewal } from './run-renewal.js';
import { ServiceClient } from './service-client.js';
import { LeaseLost } from './service-error.js';

const ROUTE = `POST /runs/${RUN}/renewal`;

describe('RunRenewal', () => {
  let gateway: FakeGateway;
  let client: ServiceClient;

  beforeEach(async () => {
    gateway = await FakeGateway.start();
    client = new ServiceClient(gateway.url, 'assay_token');
  });

  afterEach(() => gateway.stop());

  const whenLost = (renewal: RunRenewal) => until(() => renewal.signal.aborted);

  it('loses the lease when the network is gone for longer than it lasts, and ends the requests of the run', async () => {
    await gateway.stop();
    const renewal = new RunRenewal(client, leasedRunView({ leaseSeconds: 0.3 }));

    const request = { method: 'POST', path: `/runs/${RUN}/datasets/x/start` } as const;
    await expect(client.request(request, DatasetStarted, renewal.signal)).rejects.toThrow(LeaseLost);
  });

  it('loses the lease when the service does not answer', async () => {
    gateway.on(ROUTE, silent);
    const started = performance.now();
    const renewal = new RunRenewal(client, leasedRunView({ leaseSeconds: 0.3 }));

    await whenLost(renewal);

    expect(renewal.signal.reason).toBeInstanceOf(LeaseLost);
    expect(performance.now() - started).toBeGreaterThan(290);
  });

  it('loses the lease at once when the service says so', async () => {
    gateway.on(ROUTE, problem(409, 'lease_lost'));

    await whenLost(new RunRenewal(client, leasedRunView({ leaseSeconds: 0.2 })));

    expect(gateway.of(ROUTE)).toHaveLength(1);
  });

  it('loses no lease in a short interruption', async () => {
    gateway.on(ROUTE, hangUp, problem(403, 'forbidden'), noContent);
    const renewal = new RunRenewal(client, leasedRunView({ leaseSeconds: 0.8 }));

    await until(() => gateway.of(ROUTE).length === 5);

    expect(renewal.signal.aborted).toBe(false);
    renewal.close();
  });
});
