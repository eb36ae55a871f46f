import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { FakeGateway, hangUp, noContent, problem, silent } from '../../../../test/factories/services/fake-gateway.js';
import { until } from '../../../../test/factories/until.js';
import { LeaseRenewal } from './lease-renewal.js';
import { ServiceClient } from './service-client.js';
import { LeaseLost } from './service-error.js';

const ROUTE = 'POST /renewal';

describe('LeaseRenewal', () => {
  let gateway: FakeGateway;
  let client: ServiceClient;

  beforeEach(async () => {
    gateway = await FakeGateway.start();
    client = new ServiceClient(gateway.url, 'assay_token');
  });

  afterEach(() => gateway.stop());

  const renewed = (leaseSeconds: number) =>
    new LeaseRenewal(leaseSeconds, (silentSeconds, signal) =>
      client.requestOnce({ method: 'POST', path: '/renewal', silentSeconds }, z.unknown(), signal),
    );
  const whenLost = (renewal: LeaseRenewal) => until(() => renewal.signal.aborted);

  it('loses the lease when the network is gone for longer than it lasts, and ends the requests that need it', async () => {
    await gateway.stop();
    const renewal = renewed(0.3);

    await expect(client.send({ method: 'POST', path: '/outcome' }, renewal.signal)).rejects.toThrow(LeaseLost);
  });

  it('loses the lease when the service does not answer', async () => {
    gateway.on(ROUTE, silent);
    const started = performance.now();
    const renewal = renewed(0.3);

    await whenLost(renewal);

    expect(renewal.signal.reason).toBeInstanceOf(LeaseLost);
    expect(performance.now() - started).toBeGreaterThan(290);
  });

  it('loses the lease at once when the service says so', async () => {
    gateway.on(ROUTE, problem(409, 'lease_lost'));

    await whenLost(renewed(0.2));

    expect(gateway.of(ROUTE)).toHaveLength(1);
  });

  it('loses no lease in a short interruption', async () => {
    gateway.on(ROUTE, hangUp, problem(403, 'forbidden'), noContent);
    const renewal = renewed(0.8);

    await until(() => gateway.of(ROUTE).length === 5);

    expect(renewal.signal.aborted).toBe(false);
    renewal.close();
  });

  it('renews at once when it is asked to, and once for all that ask while a renewal is under way', async () => {
    let respond: () => unknown = () => undefined;
    gateway.on(ROUTE, (response) => (respond = () => response.writeHead(204).end()), noContent);
    const renewal = renewed(60);

    renewal.now();
    await until(() => gateway.of(ROUTE).length === 1);
    renewal.now();
    renewal.now();
    expect(gateway.of(ROUTE)).toHaveLength(1);
    respond();

    await until(() => gateway.of(ROUTE).length === 2);
    renewal.close();
  });
});
