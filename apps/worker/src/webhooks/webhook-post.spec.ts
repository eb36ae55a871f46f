import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { WebhookTargets } from '@assay/notifications/webhooks';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ResolveName } from './resolve-name.js';
import { type PostOutcome, postWebhook } from './webhook-post.js';

/** A self-signed certificate of hooks.test for this test. */
const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqsXJRC+n7t+vWLlV
ALY+ryluMNNKafDw2x1AfcnZSsOhRANCAAS+8B7f9Ug+8EkmNcIXTa9j/bQlfVle
5YWbTaFravE52yNzb+QvrOqcSVC0N4tT1zhcOoUmNLDVe2cYJ/VRVdgc
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmTCCAT6gAwIBAgIUJT9WDP/mPEAAgSxfjzw6U9rt0vMwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKaG9va3MudGVzdDAgFw0yNjExMjMwNzAzMDhaGA8yMTI2MTAz
MDA3MDMwOFowFTETMBEGA1UEAwwKaG9va3MudGVzdDBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABL7wHt/1SD7wSSY1whdNr2P9tCV9WV7lhZtNoWtq8TnbI3Nv5C+s
6pxJULQ3i1PXOFw6hSY0sNV7Zxgn9VFV2ByjajBoMB0GA1UdDgQWBBTAre2GfGAw
EP98RwwD2IhIA8ym0zAfBgNVHSMEGDAWgBTAre2GfGAwEP98RwwD2IhIA8ym0zAP
BgNVHRMBAf8EBTADAQH/MBUGA1UdEQQOMAyCCmhvb2tzLnRlc3QwCgYIKoZIzj0E
AwIDSQAwRgIhAPTwuwcWGzfd4vXMl1F447ZnsqW7XoqjwrLYvV/7yLt5AiEAu2ER
wBSZIz5FHZKBvcHHM/zwHEksDDdK9uFRB/eO1GI=
-----END CERTIFICATE-----`,
};

/** All that is public here; its neighbours on the same machine are not. */
const PUBLIC = '127.0.0.1';
const PRIVATE = '127.0.0.2';
const targets = new WebhookTargets({
  allowedNetworks: [`${PUBLIC}/32`],
  ports: [{ from: 1, to: 65_535 }],
  http: true,
});
const BODY = '{"type":"webhook.ping"}';
/** For what is to end by itself. */
const LONG = 30_000;
/** For what only the deadline ends. */
const SHORT = 300;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('posting to an address that a stranger gave', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  async function opened(server: Server, host: string, port: number): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    server.listen(port, host);
    await once(server, 'listening');
    ends.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    });
    return (server.address() as AddressInfo).port;
  }

  const listen = (handler: Handler): Promise<number> => opened(createServer(handler), PUBLIC, 0);
  /** Speaks whatever `speak` writes, once the request has come. */
  const listenRaw = (speak: (socket: Socket) => void): Promise<number> => {
    const server = createTcpServer((socket) => socket.once('data', () => speak(socket)));
    return opened(server as unknown as Server, PUBLIC, 0);
  };
  /** A listener that nothing must reach. */
  async function canary(port: number): Promise<{ readonly connections: number }> {
    const heard = { connections: 0 };
    const server = createServer((_, response) => response.end());
    server.on('connection', () => heard.connections++);
    await opened(server, PRIVATE, port);
    return heard;
  }

  /** Answers one after the other, then the last for ever. */
  function names(...answers: readonly (readonly string[])[]): {
    readonly resolve: ResolveName;
    readonly asked: string[];
  } {
    const asked: string[] = [];
    const resolve: ResolveName = (name) => {
      asked.push(name);
      return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1]!);
    };
    return { resolve, asked };
  }

  const post = (
    url: string,
    { resolve = names([PUBLIC]).resolve, milliseconds = LONG }: { resolve?: ResolveName; milliseconds?: number } = {},
  ): Promise<PostOutcome> =>
    postWebhook({ url: new URL(url), headers: { 'webhook-id': 'm1' }, body: BODY }, { targets, resolve, milliseconds });

  it('sends the body and what says whose it is, and nothing of this service', async () => {
    const came: { headers?: object; body?: string } = {};
    const port = await listen((request, response) => {
      came.headers = request.headers;
      request.on('data', (chunk: Buffer) => (came.body = `${came.body ?? ''}${chunk.toString()}`));
      request.on('end', () => response.writeHead(202, { 'retry-after': '7', 'set-cookie': 'a=b' }).end('fine'));
    });
    const outcome = await post(`http://hooks.test:${port}/in?a=b`);
    expect(outcome).toEqual({ kind: 'answered', status: 202, answer: 'fine', retryAfter: '7' });
    expect(came).toEqual({
      body: BODY,
      headers: {
        host: `hooks.test:${port}`,
        connection: 'close',
        'accept-encoding': 'identity',
        'content-length': String(BODY.length),
        'content-type': 'application/json',
        'user-agent': 'Assay-Webhooks/1',
        'webhook-id': 'm1',
      },
    });
  });

  it('asks for a name once, and connects to the very address that was judged', async () => {
    const reached: string[] = [];
    const port = await listen((request, response) => {
      reached.push(request.socket.localAddress!);
      response.end();
    });
    const heard = await canary(port);
    const { resolve, asked } = names([PUBLIC], [PRIVATE]);
    expect(await post(`http://hooks.test:${port}`, { resolve })).toMatchObject({ status: 200 });
    expect([reached, asked, heard.connections]).toEqual([[PUBLIC], ['hooks.test'], 0]);

    // and judges it again at the next delivery
    expect(await post(`http://hooks.test:${port}`, { resolve })).toEqual({
      kind: 'unreached',
      problem: 'Its host name resolves to an address that is not public.',
    });
    expect([reached.length, asked.length, heard.connections]).toEqual([1, 2, 0]);
  });

  it('reaches nothing where one of the addresses of a name is not public', async () => {
    let reached = 0;
    const port = await listen((_, response) => {
      reached++;
      response.end();
    });
    const heard = await canary(port);
    for (const addresses of [
      [PUBLIC, PRIVATE],
      [PRIVATE, PUBLIC],
      [PUBLIC, '::1'],
      [PUBLIC, `::ffff:${PUBLIC}`],
    ]) {
      const { resolve } = names(addresses);
      expect(await post(`http://hooks.test:${port}`, { resolve })).toMatchObject({ kind: 'unreached' });
    }
    expect([reached, heard.connections]).toEqual([0, 0]);
  });

  it.each(['127.0.0.2', '0x7f000002', '2130706434', '0177.0.0.2', '127.2', '[::ffff:127.0.0.2]'])(
    'reaches nothing at %s',
    async (host) => {
      const heard = await canary(0);
      const { resolve, asked } = names([PUBLIC]);
      expect(await post(`http://${host}:9`, { resolve })).toEqual({
        kind: 'unreached',
        problem: 'Its address is not public.',
      });
      expect([asked, heard.connections]).toEqual([[], 0]);
    },
  );

  it.each([301, 302, 303, 307, 308])('follows no redirect (%i)', async (status) => {
    const port = await listen((_, response) => {
      response.writeHead(status, { location: `http://${PRIVATE}:${port}/secrets` }).end();
    });
    const heard = await canary(port);
    const { resolve } = names([PUBLIC]);
    expect(await post(`http://hooks.test:${port}`, { resolve })).toMatchObject({ kind: 'answered', status });
    expect(heard.connections).toBe(0);
  });

  it('goes by no proxy that the environment names', async () => {
    const port = await listen((_, response) => response.end('direct'));
    const heard = await canary(port);
    const before = { ...process.env };
    const proxy = `http://${PRIVATE}:${port}`;
    const variables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'];
    Object.assign(process.env, {
      NODE_USE_ENV_PROXY: '1',
      ...Object.fromEntries(variables.map((name) => [name, proxy])),
    });
    try {
      expect(await post(`http://hooks.test:${port}`)).toMatchObject({ answer: 'direct' });
    } finally {
      process.env = before;
    }
    expect(heard.connections).toBe(0);
  });

  it('reads no more than the start of an answer that never ends', async () => {
    const closed: Promise<unknown>[] = [];
    const port = await listen((request, response) => {
      closed.push(new Promise((resolve) => request.socket.once('close', resolve)));
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', flood);
      flood();
    });
    const outcome = await post(`http://hooks.test:${port}`);
    expect(outcome).toMatchObject({ status: 200, answer: 'x'.repeat(1024) });
    await Promise.all(closed);
  });

  it('inflates nothing, and shows no characters that command', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    const packed = await listen((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    expect(((await post(`http://hooks.test:${packed}`)) as { answer: string }).answer.length).toBeLessThanOrEqual(1024);

    const rude = await listen((_, response) => response.end('a\u0000b\u001b[31mc\u202ed\n\te\ufeff<b>'));
    const shown = (await post(`http://hooks.test:${rude}`)) as { answer: string };
    expect(shown.answer).toBe('a\ufffdb\ufffd[31mc\ufffdd\n\te\ufffd<b>');
  });

  it('takes an answer whose body trickles as far as it came', async () => {
    const port = await listen((_, response) => void response.write('o'));
    const outcome = await post(`http://hooks.test:${port}`, { milliseconds: SHORT });
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, answer: 'o' });
  });

  it.each<readonly [string, (socket: Socket) => void]>([
    ['says nothing', () => undefined],
    ['says one letter', (socket) => socket.write('H')],
    ['stops in its headers', (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a: 1\r\n')],
    ['says again and again that it is about to answer', (socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('gives up a receiver that %s', async (_, speak) => {
    const port = await listenRaw(speak);
    expect(await post(`http://hooks.test:${port}`, { milliseconds: SHORT })).toEqual({
      kind: 'unreached',
      problem: `It did not answer within ${SHORT / 1000} s.`,
    });
  });

  it('gives up a name whose servers say nothing', async () => {
    const silent: ResolveName = () => new Promise(() => undefined);
    expect(await post('http://hooks.test:9', { resolve: silent, milliseconds: SHORT })).toMatchObject({
      problem: `It did not answer within ${SHORT / 1000} s.`,
    });
  });

  it.each<readonly [string, string, (socket: Socket) => void]>([
    ['floods with headers', 'too large', flooded],
    ['speaks another protocol', 'not valid HTTP', (socket) => void socket.end('220 mail.test ESMTP\r\n')],
    ['hangs up', 'closed the connection', (socket) => void socket.destroy()],
    [
      'wants to speak WebSocket',
      'cannot be reached',
      (socket) =>
        void socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    ],
  ])('says of a receiver that %s what is wrong', async (_, problem, speak) => {
    const port = await listenRaw(speak);
    expect(await post(`http://hooks.test:${port}`)).toEqual({
      kind: 'unreached',
      problem: expect.stringContaining(problem),
    });
  });

  it('says where nothing listens, and where a name has no address', async () => {
    const port = await listen((_, response) => response.end());
    for (const end of ends.splice(0)) await end();
    expect(await post(`http://hooks.test:${port}`)).toEqual({
      kind: 'unreached',
      problem: 'It refused the connection.',
    });
    expect(await post('http://hooks.test:9', { resolve: names([]).resolve })).toEqual({
      kind: 'unreached',
      problem: 'Its host name has no address.',
    });
  });

  it('by https sends nothing to a server without a certificate for the name', async () => {
    const bodies: string[] = [];
    const server = createSecureServer(SELF_SIGNED, (request, response) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      request.on('end', () => response.end());
    });
    const port = await opened(server, PUBLIC, 0);
    const refused = { kind: 'unreached', problem: expect.stringContaining('certificate is not valid') };
    expect(await post(`https://hooks.test:${port}`)).toEqual(refused);
    const authorities = getCACertificates();
    setDefaultCACertificates([SELF_SIGNED.cert]);
    try {
      expect(await post(`https://other.test:${port}`)).toEqual(refused);
      expect(bodies).toEqual([]);
      expect(await post(`https://hooks.test:${port}`)).toMatchObject({ kind: 'answered', status: 200 });
    } finally {
      setDefaultCACertificates(authorities);
    }
    expect(bodies).toEqual([BODY]);
  });
});

/** For as long as somebody listens. */
function repeat(socket: Socket, text: string): void {
  const speak = (): void => {
    if (socket.writable) socket.write(text, () => setImmediate(speak));
  };
  speak();
}

function flooded(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n');
  repeat(socket, `x-flood: ${'y'.repeat(1000)}\r\n`);
}
