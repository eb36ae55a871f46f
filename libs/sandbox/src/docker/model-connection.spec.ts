import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ModelConnection } from './model-connection.js';

const limits = { deadline: 2000, responseBytes: 1000 };
const ok = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** A server that sends a second answer, unasked, soon after the first on each connection. */
const EAGER_SERVER = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const answer = (body) => 'HTTP/1.1 200 OK\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n' + body;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(answer('1'));
      setTimeout(() => socket.write(answer('"the next answer, prepared"')), 20);
    });
  });
  server.listen(workerData, () => parentPort.postMessage('ready'));
`;

describe('ModelConnection', () => {
  let folder: string;
  let path: string;
  let server: Server;
  let model: ModelConnection;
  /** Every connection's requests, as they came. */
  let received: string[][];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-'));
    path = join(folder, 's');
    model = new ModelConnection(path);
    received = [];
  });

  afterEach(async () => {
    model.close();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A server that says what it likes for each whole request. */
  async function serving(reply: (socket: Socket, connection: number, request: number) => void): Promise<void> {
    server = createServer((socket) => {
      const requests: string[] = [];
      const connection = received.push(requests) - 1;
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        requests.push(chunk.toString());
        reply(socket, connection, requests.length - 1);
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
  }

  const ask = (change: Partial<typeof limits> = {}) =>
    model.invoke(Buffer.from('{"instances":[]}'), { ...limits, ...change });

  it('posts the bytes, and asks for no encoding', async () => {
    await serving((socket) => socket.write(ok('{"predictions":[]}')));

    expect(await ask()).toMatchObject({ kind: 'answer', body: Buffer.from('{"predictions":[]}') });
    expect(received[0]![0]).toMatch(/^POST \/invocations HTTP\/1.1\r\n/);
    expect(received[0]![0]).toMatch(/accept-encoding: identity\r\n/i);
    expect(received[0]![0]).toMatch(/\r\n\r\n\{"instances":\[\]\}$/);
  });

  it('uses a connection again after an answer', async () => {
    await serving((socket) => socket.write(ok('1')));

    for (let request = 0; request < 3; request++) expect(await ask()).toMatchObject({ kind: 'answer' });
    expect(received.map((requests) => requests.length)).toEqual([3]);
  });

  it.each([
    ['a redirect', 'HTTP/1.1 307 Go\r\nlocation: /\r\ncontent-length: 0\r\n\r\n', { kind: 'redirected', status: 307 }],
    [
      'an encoding',
      'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx',
      { kind: 'encoded', encoding: 'gzip' },
    ],
    [
      'a body that announces too much',
      'HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n',
      { kind: 'exceeded', limit: 'output', amount: 1000 },
    ],
    ['what is no HTTP', 'hello there\r\n\r\n', { kind: 'disconnected' }],
    [
      'headers without end',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      { kind: 'disconnected', why: expect.stringContaining('16 KiB') },
    ],
    [
      '1xx without end',
      'HTTP/1.1 103 Early\r\n\r\n'.repeat(100),
      { kind: 'disconnected', why: expect.stringContaining('1xx') },
    ],
    ['more than it announced', ok('1') + 'surplus', { kind: 'disconnected' }],
    ['another protocol', 'RTSP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n1', { kind: 'disconnected' }],
    [
      'another protocol after 101',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n1',
      { kind: 'disconnected', why: expect.stringContaining('101') },
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx', { kind: 'disconnected' }],
  ])('calls %s what it is, and does not use that connection again', async (_, bytes, expected) => {
    await serving((socket, connection) => socket.write(connection === 0 ? bytes : ok('1')));

    expect(await ask()).toMatchObject(expected);
    expect(await ask()).toMatchObject({ kind: 'answer' });
    expect(received.map((requests) => requests.length)).toEqual([1, 1]);
  });

  it('keeps the beginning of what another status says', async () => {
    await serving((socket) => socket.write(`HTTP/1.1 503 No\r\ncontent-length: 9000\r\n\r\n${'busy '.repeat(1800)}`));

    expect(await ask()).toEqual({ kind: 'status', status: 503, body: 'busy '.repeat(1800).slice(0, 4096) });
  });

  it('stops at the cap when the length was not announced', async () => {
    await serving((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      for (let piece = 0; piece < 20; piece++) socket.write(`64\r\n${'x'.repeat(100)}\r\n`);
    });

    expect(await ask()).toEqual({ kind: 'exceeded', limit: 'output', amount: 1000 });
  });

  it('stops at chunks that are too small and too many', async () => {
    await serving((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      socket.write('1\r\nx\r\n'.repeat(20_000));
    });

    expect(await ask({ responseBytes: 1_000_000 })).toMatchObject({
      kind: 'disconnected',
      why: expect.stringContaining('chunks'),
    });
  });

  it('reads little of an answer in a million chunks of one byte', async () => {
    const pieces = 1000;
    const piece = '1\r\nx\r\n'.repeat(1_000_000 / pieces);
    let sent = 0;
    let closed: Promise<unknown> | undefined;
    function* chunks() {
      for (; sent < pieces; sent++) yield piece;
    }
    await serving((socket) => {
      closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      Readable.from(chunks()).pipe(socket);
    });

    expect(await ask({ responseBytes: 100_000_000 })).toMatchObject({
      kind: 'disconnected',
      why: expect.stringContaining('tiny chunks'),
    });
    await closed;
    // what the buffers of the two sockets hold
    expect(sent).toBeLessThan(pieces / 5);
  });

  it('stops at chunks with long extensions', async () => {
    await serving((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      socket.write(`1;${'e'.repeat(10_000)}\r\nx\r\n`.repeat(100));
    });

    expect(await ask()).toMatchObject({ kind: 'disconnected', why: expect.stringContaining('far more bytes') });
  });

  it('takes a long answer in chunks of usual sizes', async () => {
    await serving((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      socket.end(`${'28\r\n'.concat('y'.repeat(40), '\r\n').repeat(10_000)}0\r\n\r\n`);
    });

    const answer = await ask({ responseBytes: 1_000_000 });

    expect(answer.kind === 'answer' && answer.body.toString()).toBe('y'.repeat(400_000));
  });

  it('calls a body that ends before its announced length disconnected', async () => {
    await serving((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nxx'));

    expect(await ask()).toMatchObject({ kind: 'disconnected' });
  });

  it('holds the deadline over the whole answer, however slowly it drips', async () => {
    await serving((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });

    expect(await ask({ deadline: 200 })).toEqual({ kind: 'exceeded', limit: 'time', amount: 200 });
  });

  it('clocks an answer until its last byte, however early its head came', async () => {
    await serving((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[');
      setTimeout(() => socket.write(']'), 150);
    });

    const answer = await ask();

    expect(answer).toMatchObject({ kind: 'answer', body: Buffer.from('[]') });
    // a timer of Node's may be a millisecond early
    expect(answer.kind === 'answer' && answer.milliseconds).toBeGreaterThanOrEqual(149);
  });

  it('asks again on a new connection when an idle one was closed under the request', async () => {
    await serving((socket, connection, request) =>
      connection === 0 && request === 1 ? socket.destroy() : socket.write(ok('1')),
    );

    expect(await ask()).toMatchObject({ kind: 'answer' });
    expect(await ask()).toMatchObject({ kind: 'answer' });
    expect(received.map((requests) => requests.length)).toEqual([2, 1]);
  });

  it('asks a model only once that ends the connection on its first request', async () => {
    await serving((socket) => socket.destroy());

    expect(await ask()).toMatchObject({ kind: 'disconnected' });
    expect(received).toHaveLength(1);
  });

  it('drops a connection on which something comes unasked', async () => {
    await serving((socket, connection) => {
      socket.write(ok('1'));
      if (connection === 0) setTimeout(() => socket.write(ok('"the next answer, prepared"')), 20);
    });

    expect(await ask()).toMatchObject({ kind: 'answer' });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await ask()).toMatchObject({ kind: 'answer', body: Buffer.from('1') });
    expect(received).toHaveLength(2);
  });

  it('takes no answer that came before its request, while this process was busy', async () => {
    const worker = new Worker(EAGER_SERVER, { eval: true, workerData: path });
    await once(worker, 'message');

    expect(await ask()).toMatchObject({ kind: 'answer', body: Buffer.from('1') });
    // the event loop does not see the bytes that the server sends meanwhile
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    expect(await ask()).toMatchObject({ kind: 'answer', body: Buffer.from('1') });

    await worker.terminate();
  });

  it('says when there is nothing to connect to', async () => {
    expect(await ask()).toMatchObject({ kind: 'unreached' });
  });
});
