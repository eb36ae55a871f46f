import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SandboxUnavailable } from '../sandbox.js';
import { DockerEngine, isRefusal, refusal } from './docker-engine.js';

describe('DockerEngine', () => {
  let folder: string;
  let server: Server;
  let answer: RequestListener;
  let engine: DockerEngine;
  let address: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-'));
    const path = join(folder, 'docker.sock');
    server = createServer((request, response) => {
      request.resume();
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    address = `unix://${path}`;
    engine = new DockerEngine(address);
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Every method that asks the engine, but `wait`, which lasts as long as a container. */
  const CALLS: Readonly<Record<Exclude<keyof DockerEngine, 'docker' | 'wait' | 'load'>, () => Promise<unknown>>> = {
    info: () => engine.info(),
    image: () => engine.image('x'),
    images: () => engine.images(),
    removeImage: () => engine.removeImage('x'),
    create: () => engine.create({ Image: 'x' }),
    start: () => engine.start('x'),
    inspect: () => engine.inspect('x'),
    remove: () => engine.remove('x'),
    list: () => engine.list(['x']),
    execute: () => engine.execute('x', { Cmd: ['x'], User: '0' }),
    logs: () => engine.logs('x'),
  };

  it.each(Object.entries(CALLS))('waits for a hung daemon no longer than the deadline of %s', async (_, call) => {
    answer = () => undefined;
    engine = new DockerEngine(address, { quick: 0.1, work: 0.1, removal: 0.1 });

    await expect(call()).rejects.toThrow(SandboxUnavailable);
    await expect(call()).rejects.toThrow(/did not answer "[a-z]+( [a-z]+)?" within 0 s/);
  });

  it('gives a load the time that its bytes need, and then lets go of the archive', async () => {
    answer = () => undefined;
    const archive = new Readable({ read: () => undefined });

    jest.useFakeTimers();
    const loaded = expect(engine.load(archive, 600e6)).rejects.toThrow('did not answer "image load" within 120 s');
    jest.advanceTimersByTime(119_999);
    expect(archive.destroyed).toBe(false);
    jest.advanceTimersByTime(1);
    jest.useRealTimers();

    await loaded;
    expect(archive.destroyed).toBe(true);
  });

  it('tells what is not there from what is refused', async () => {
    answer = (_, response) =>
      void response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"No such container"}');
    expect(await engine.inspect('x')).toBeNull();
    await engine.remove('x');

    answer = (_, response) =>
      void response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"no space left"}');
    const error: unknown = await engine.start('x').catch((cause: unknown) => cause);
    expect(isRefusal(error) && refusal(error)).toBe('no space left');
  });

  it('finds the failure of a load in what it prints after its 200', async () => {
    answer = (_, response) =>
      void response.end('{"status":"Loading"}\n{"errorDetail":{"message":"no space left on device"},"error":"x"}\n');

    await expect(engine.load(Readable.from(['x']), 1)).rejects.toThrow('no space left on device');
  });

  describe('a wait for the end of a container', () => {
    const wait = (signal = new AbortController().signal) => engine.wait('x', signal);

    it('gives how it ended', async () => {
      answer = (_, response) => void response.end('{"StatusCode":3}');

      expect(await wait()).toMatchObject({ StatusCode: 3 });
    });

    it('is over as soon as the daemon dies, which has sent its headers by then', async () => {
      answer = (_, response) => {
        response.flushHeaders();
        setImmediate(() => server.closeAllConnections());
      };

      await expect(wait()).rejects.toMatchObject({
        name: SandboxUnavailable.name,
        message: 'the container engine failed at "container wait": aborted',
      });
    });

    it('is over when nobody listens any more', async () => {
      const listening = new AbortController();
      answer = (_, response) => {
        response.flushHeaders();
        setImmediate(() => listening.abort());
      };

      await expect(wait(listening.signal)).rejects.toThrow();
    });

    it('tells a container that is not there', async () => {
      answer = (_, response) =>
        void response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"No such container"}');

      await expect(wait()).rejects.toMatchObject({ statusCode: 404 });
    });
  });

  it('takes a daemon that is gone for unavailable', async () => {
    const gone = new DockerEngine(`unix://${join(folder, 'none.sock')}`);

    await expect(gone.info()).rejects.toThrow(SandboxUnavailable);
  });
});
