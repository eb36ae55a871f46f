import { describe, expect, it } from '@jest/globals';
import { fakeModel, FakeSandboxDriver, type FakeModel } from './fake-sandbox.js';
import { readySandbox, sandboxDriverContract } from '../../../test/factories/sandbox-driver.contract.js';
import { SandboxUnavailable, type SandboxSpecification } from './sandbox.js';

/** The contract's model as a script: what it does at the start is decided by its environment, so it is made by each start. */
function contractModel(): FakeModel {
  let memory = 0;
  let computed = 0;
  return {
    start: ({ environment, limits }) => {
      memory = limits.memory;
      switch (environment['BEHAVIOUR']) {
        case 'exits':
          return { kind: 'exited', code: 3 };
        case 'never-ready':
          return limits.startSeconds < 10
            ? { kind: 'never-ready', seconds: limits.startSeconds, why: 'GET /ping answered 503' }
            : 60_000;
        case 'hoards':
          return { kind: 'exceeded', limit: 'memory', amount: memory };
        case 'slow':
          return 50;
        default:
          return 0;
      }
    },
    reply: async (body, signal, path) => {
      const request = JSON.parse(body.toString()) as { do: string; [name: string]: unknown };
      switch (request.do) {
        case 'exit':
          return { kind: 'exited', code: Number(request['code']) };
        case 'hoard':
          return { kind: 'exceeded', limit: 'memory', amount: memory };
        case 'compute':
          computed += Number(request['rounds']);
          return body;
        case 'sleep':
          return fakeModel
            .slow(Number(request['milliseconds']), fakeModel.answersBytes(body))
            .reply(body, signal, path);
        case 'flood':
          return Buffer.alloc(Number(request['bytes']));
        case 'status':
          return { kind: 'status', status: Number(request['status']), body: 'no' };
        case 'redirect':
          return { kind: 'redirected', status: 307 };
        case 'compress':
          return { kind: 'encoded', encoding: 'gzip' };
        case 'where':
          return Buffer.from(JSON.stringify(path));
        case 'cut':
          return { kind: 'disconnected', why: 'cut' };
        default:
          return body;
      }
    },
    cpuSeconds: () => computed / 100,
    output: 'cannot find the weights\n',
  };
}

sandboxDriverContract('the fake', () => {
  const driver = new FakeSandboxDriver(contractModel);
  return Promise.resolve({
    driver,
    image: 'a'.repeat(64),
    runtime: 'runc',
    residue: () => Promise.resolve([...driver.running.keys()]),
    close: () => driver.close(),
  });
});

describe('FakeSandboxDriver', () => {
  const specification: SandboxSpecification = {
    image: 'twice',
    environment: {},
    port: 8080,
    limits: { memory: 1e9, cpus: 1, pids: 64, startSeconds: 1 },
    runtime: 'runc',
    data: 'readable',
    labels: { run: 'run-1', attempt: 1 },
  };
  const never = new AbortController().signal;
  const limits = { deadline: 1000, responseBytes: 100 };

  it('answers by a function of the request', async () => {
    const driver = new FakeSandboxDriver({ twice: fakeModel.answers((request) => [request, request]) });
    const sandbox = readySandbox(await driver.start(specification, never));

    expect(await sandbox.invoke(Buffer.from('1'), limits)).toMatchObject({
      kind: 'answer',
      body: Buffer.from('[1,1]'),
    });
  });

  it('ends after the given number of answers', async () => {
    const driver = new FakeSandboxDriver({
      twice: fakeModel.exitsAfter(
        1,
        9,
        fakeModel.answers(() => 1),
      ),
    });
    const sandbox = readySandbox(await driver.start(specification, never));

    expect(await sandbox.invoke(Buffer.from('1'), limits)).toMatchObject({ kind: 'answer' });
    expect(await sandbox.invoke(Buffer.from('1'), limits)).toEqual({ kind: 'exited', code: 9 });
  });

  it('is unavailable during an outage, and back after it', async () => {
    const driver = new FakeSandboxDriver({ twice: fakeModel.answers(() => 1) });

    driver.outage = 'the engine does not answer';
    await expect(driver.start(specification, never)).rejects.toThrow(SandboxUnavailable);
    driver.outage = null;
    await expect(driver.start(specification, never)).resolves.toMatchObject({ kind: 'ready' });
  });
});
