import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { traced, tracedSince, Tracing } from './tracing.js';

describe('Tracing', () => {
  let received = 0;
  /** In the place of a collector, as the environment would name it. */
  const server = createServer((request, response) => {
    received++;
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  let url: string;
  const before = { ...process.env };

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    received = 0;
    // where the exporter of the SDK would send to, if there were one
    process.env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] = `${url}/v1/traces`;
  });
  afterEach(() => {
    trace.disable();
    context.disable();
    process.env = { ...before };
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  /** @returns whether the spans are recorded */
  async function worked(endpoint: string | undefined): Promise<boolean> {
    const tracing = await Tracing.start({ service: 'assay-test', endpoint, share: 1 });
    tracedSince(Date.now() - 10, 'waited', {});
    const isRecorded = await traced('worked', { 'assay.model': 'm' }, (span) => span.isRecording());
    await tracing.onApplicationShutdown();
    return isRecorded;
  }

  it('records and sends nothing without an endpoint, though a collector listens', async () => {
    expect(await worked(undefined)).toBe(false);
    expect(received).toBe(0);
  });

  it('sends what it recorded with one', async () => {
    expect(await worked(url)).toBe(true);
    expect(received).toBe(1);
  });
});
