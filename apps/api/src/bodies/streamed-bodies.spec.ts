import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { acceptBodies, bodyOf } from './streamed-bodies.js';

const PATH = '/api/v1/models/one/artifact';

describe('a body that is streamed', () => {
  // one connection for all requests, one after the other
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let server: FastifyInstance;

  beforeEach(async () => {
    server = fastify();
    acceptBodies(server);
    server.put(PATH, { config: { access: { stream: 'artifact' } } }, async (received, reply) => {
      const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('there is no room left')) });
      await pipeline(bodyOf(received, Infinity), full).catch(() => undefined);
      return reply.status(507).send();
    });
    server.get(PATH, () => 'here');
    await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    agent.destroy();
    await server.close();
  });

  it('leaves the connection to the next request, however much of it was not wanted', async () => {
    for (let time = 0; time < 3; time++) {
      expect(await ask('PUT', Buffer.alloc(3 << 20))).toBe(507);
      expect(await ask('GET')).toBe(200);
    }
  });

  async function ask(method: string, body?: Buffer): Promise<number | undefined> {
    const { port } = server.server.address() as AddressInfo;
    const headers = body ? { 'content-length': body.length } : {};
    const sent = request({ agent, host: '127.0.0.1', port, path: PATH, method, headers });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return answer.statusCode;
  }
});
