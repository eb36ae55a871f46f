import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { abortedWhenClosed } from './streams.js';

describe('the signal of a response', () => {
  const server = createServer();
  beforeEach(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => void server.close());

  /** Returns the response to a request, and what closes its connection. */
  async function asked(): Promise<{ readonly raw: ServerResponse; readonly leave: () => void }> {
    const { port } = server.address() as AddressInfo;
    const client = request({ port, host: '127.0.0.1' }).on('error', () => undefined);
    client.end();
    const [, raw] = (await once(server, 'request')) as [unknown, ServerResponse];
    return { raw, leave: () => client.destroy() };
  }

  it('aborts when the client closes the connection', async () => {
    const { raw, leave } = await asked();
    const signal = abortedWhenClosed({ raw } as FastifyReply);
    expect(signal.aborted).toBe(false);
    leave();
    await once(signal, 'abort');
  });

  it('is aborted from the start if the client has closed it already', async () => {
    const { raw, leave } = await asked();
    leave();
    await once(raw, 'close');
    expect(abortedWhenClosed({ raw } as FastifyReply).aborted).toBe(true);
  });
});
