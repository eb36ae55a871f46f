import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InvocationOutcome, Sandbox, SandboxDriver, SandboxSpecification, StartOutcome } from '@assay/sandbox';

const mebibyte = 1024 * 1024;

/**
 * A driver and an image for the contract. The image behaves as the environment variable `BEHAVIOUR`
 * says (`answers`; `slow` to be ready; `exits` with 3 after it writes "cannot find the weights";
 * `hoards` memory; `never-ready`: 503). It does what `do` in the JSON of a request says (`echo`,
 * `exit` with `code`, `hoard`, `compute` in `rounds` of about 10 ms, `sleep` for `milliseconds`,
 * `flood` with `bytes`, answer with `status`, `redirect`, `compress`, `cut` the connection, return
 * `where`, the path of the request).
 */
export interface ContractSubject {
  readonly driver: SandboxDriver;
  readonly image: string;
  readonly runtime: SandboxSpecification['runtime'];
  /**
   * Names what sandboxes left on the host, such as containers and folders. Empty when nothing runs.
   */
  residue(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** The contract that every driver fulfils. Each driver's spec runs it. */
export function sandboxDriverContract(name: string, makeSubject: () => Promise<ContractSubject>): void {
  describe(`the sandbox contract, kept by ${name}`, () => {
    let subject: ContractSubject;
    const never = new AbortController().signal;

    beforeAll(async () => {
      subject = await makeSubject();
    });
    afterAll(() => subject.close());

    function specification(
      behaviour: string,
      change: Partial<SandboxSpecification['limits']> = {},
    ): SandboxSpecification {
      return {
        image: subject.image,
        environment: { BEHAVIOUR: behaviour },
        port: 8080,
        limits: { memory: 512 * mebibyte, cpus: 1, pids: 64, startSeconds: 60, ...change },
        runtime: subject.runtime,
        data: 'readable',
        labels: { run: 'run-1', attempt: 1 },
      };
    }

    const ask = (
      sandbox: Sandbox,
      request: object,
      deadline = 30_000,
      responseBytes = mebibyte,
    ): Promise<InvocationOutcome> => sandbox.invoke(Buffer.from(JSON.stringify(request)), { deadline, responseBytes });

    async function withModel(use: (sandbox: Sandbox) => Promise<void>, behaviour = 'answers'): Promise<void> {
      const sandbox = readySandbox(await subject.driver.start(specification(behaviour), never));
      try {
        await use(sandbox);
      } finally {
        await sandbox.stop();
      }
      expect(await subject.residue()).toEqual([]);
    }

    describe('of a model that keeps answering', () => {
      let sandbox: Sandbox;
      beforeAll(async () => {
        sandbox = readySandbox(await subject.driver.start(specification('answers'), never));
      });
      afterAll(async () => {
        await sandbox.stop();
        expect(await subject.residue()).toEqual([]);
      });

      it('answers with the bytes of the model', async () => {
        const outcome = await ask(sandbox, { do: 'echo', text: 'grüße' });

        expect(outcome).toMatchObject({ kind: 'answer', milliseconds: expect.any(Number) });
        expect(answerOf(outcome)).toEqual({ do: 'echo', text: 'grüße' });
      });

      it('posts to the given path', async () => {
        const limits = { deadline: 30_000, responseBytes: mebibyte };
        const where = Buffer.from('{"do":"where"}');

        expect(answerOf(await sandbox.invoke(where, limits))).toBe('/invocations');
        expect(answerOf(await sandbox.invoke(where, { ...limits, path: '/explain' }))).toBe('/explain');
      });

      it('has two requests under way at once', async () => {
        const slow = ask(sandbox, { do: 'sleep', milliseconds: 400 }).then(() => 'slow');
        const quick = ask(sandbox, { do: 'echo' }).then(() => 'quick');

        expect(await Promise.race([slow, quick])).toBe('quick');
        await slow;
      });

      it('ends a late request at its deadline, and continues', async () => {
        expect(await ask(sandbox, { do: 'sleep', milliseconds: 5000 }, 200)).toEqual({
          kind: 'exceeded',
          limit: 'time',
          amount: 200,
        });
        expect(answerOf(await ask(sandbox, { do: 'echo' }))).toEqual({ do: 'echo' });
      });

      it('stops reading an answer that is too large, and continues', async () => {
        const outcome = await ask(sandbox, { do: 'flood', bytes: 3 * mebibyte }, 30_000, 1000);

        expect(outcome).toEqual({ kind: 'exceeded', limit: 'output', amount: 1000 });
        expect(answerOf(await ask(sandbox, { do: 'echo' }))).toEqual({ do: 'echo' });
      });

      it('follows no redirect, inflates nothing, and keeps the words of a refusal', async () => {
        expect(await ask(sandbox, { do: 'redirect' })).toEqual({ kind: 'redirected', status: 307 });
        expect(await ask(sandbox, { do: 'compress' })).toEqual({ kind: 'encoded', encoding: 'gzip' });
        expect(await ask(sandbox, { do: 'status', status: 500 })).toEqual({ kind: 'status', status: 500, body: 'no' });
      });

      it('tells a connection that broke from a model that ended', async () => {
        expect(await ask(sandbox, { do: 'cut' })).toMatchObject({ kind: 'disconnected' });
        expect(answerOf(await ask(sandbox, { do: 'echo' }))).toEqual({ do: 'echo' });
      });

      it('counts the CPU time of a model, and not the time that it waits', async () => {
        const used = async (request: object): Promise<number> => {
          const before = (await sandbox.cpuSeconds())!;
          await ask(sandbox, request);
          return (await sandbox.cpuSeconds())! - before;
        };

        const little = await used({ do: 'compute', rounds: 4 });
        const much = await used({ do: 'compute', rounds: 40 });
        expect(little).toBeGreaterThan(0);
        expect(much).toBeGreaterThan(3 * little);
        expect(await used({ do: 'sleep', milliseconds: 300 })).toBeLessThan(much / 2);
      });

      it('reads the memory of a model', async () => {
        expect((await sandbox.memory()).peak).toBeGreaterThan(mebibyte);
      });
    });

    it('tells who waits for it how a model has ended', () =>
      withModel(async (sandbox) => {
        const ended = sandbox.whenEnded();
        await ask(sandbox, { do: 'exit', code: 7 });

        expect(await ended).toMatchObject({ kind: 'exited', code: 7 });
      }));

    it('waits until the model is ready', () =>
      withModel(async (sandbox) => {
        expect(answerOf(await ask(sandbox, { do: 'echo' }))).toEqual({ do: 'echo' });
      }, 'slow'));

    it('says how a model ended that ends before it is ready, with what it wrote', async () => {
      const outcome = await subject.driver.start(specification('exits'), never);

      expect(outcome).toMatchObject({
        kind: 'exited',
        code: 3,
        log: expect.stringContaining('cannot find the weights'),
      });
      expect(await subject.residue()).toEqual([]);
    });

    it('gives up a model that is never ready, with the reason', async () => {
      const outcome = await subject.driver.start(specification('never-ready', { startSeconds: 5 }), never);

      expect(outcome).toMatchObject({ kind: 'never-ready', seconds: 5, why: expect.stringContaining('503') });
      expect(await subject.residue()).toEqual([]);
    });

    it('tells too much memory at the start from an exit', async () => {
      const outcome = await subject.driver.start(specification('hoards', { memory: 128 * mebibyte }), never);

      expect(outcome).toMatchObject({ kind: 'exceeded', limit: 'memory', amount: 128 * mebibyte });
      expect(await subject.residue()).toEqual([]);
    });

    it('tells too much memory during a request from a broken connection', () =>
      withModel(async (sandbox) => {
        expect(await ask(sandbox, { do: 'hoard' })).toEqual({
          kind: 'exceeded',
          limit: 'memory',
          amount: 512 * mebibyte,
        });
      }));

    it('says with what code a model ended during a request, and keeps saying it', () =>
      withModel(async (sandbox) => {
        expect(await ask(sandbox, { do: 'exit', code: 7 })).toMatchObject({ kind: 'exited', code: 7 });
        expect(await ask(sandbox, { do: 'echo' })).toMatchObject({ kind: 'exited', code: 7 });
      }));

    it.each([0, 40, 120, 400])('leaves nothing when it is aborted %d ms after the start', async (milliseconds) => {
      const abort = new AbortController();
      const starting = subject.driver.start(specification('never-ready'), abort.signal);
      setTimeout(() => {
        abort.abort(new Error('the lease is lost'));
      }, milliseconds);

      await expect(starting).rejects.toThrow('the lease is lost');
      expect(await subject.residue()).toEqual([]);
    });

    it('keeps nothing with a signal that outlives its sandboxes', async () => {
      const { signal } = new AbortController();
      const sandbox = readySandbox(await subject.driver.start(specification('answers'), signal));
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      await sandbox.stop();

      expect((await subject.driver.start(specification('exits'), signal)).kind).toBe('exited');
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it('starts nothing when it is aborted already', async () => {
      await expect(
        subject.driver.start(specification('answers'), AbortSignal.abort(new Error('too late'))),
      ).rejects.toThrow('too late');
      expect(await subject.residue()).toEqual([]);
    });

    it('stops twice as well as once, and calls what was under way neither an exit nor a want of memory', () =>
      withModel(async (sandbox) => {
        const underWay = ask(sandbox, { do: 'sleep', milliseconds: 20_000 });
        await Promise.all([sandbox.stop(), sandbox.stop()]);
        await sandbox.stop();

        expect(await underWay).toMatchObject({ kind: 'disconnected' });
        expect(await ask(sandbox, { do: 'echo' })).toMatchObject({ kind: 'disconnected' });
      }));

    it('sweeps away what belongs to no live run, and that alone', async () => {
      const kept = readySandbox(await subject.driver.start(specification('answers'), never));
      await subject.driver.start({ ...specification('answers'), labels: { run: 'run-2', attempt: 1 } }, never);

      expect(await subject.driver.sweep(() => new Set(['run-1']))).toBe(1);
      expect(answerOf(await ask(kept, { do: 'echo' }))).toEqual({ do: 'echo' });

      expect(await subject.driver.sweep(() => new Set())).toBe(1);
      expect(await subject.residue()).toEqual([]);
    });

    it('keeps the sandbox of a run that begins while it looks', async () => {
      const kept = readySandbox(await subject.driver.start(specification('answers'), never));
      const live = new Set<string>();
      const sweeping = subject.driver.sweep(() => live);
      live.add('run-1');

      expect(await sweeping).toBe(0);
      expect(answerOf(await ask(kept, { do: 'echo' }))).toEqual({ do: 'echo' });
      await kept.stop();
    });

    it('names the hardware with the cpus and the runtime', async () => {
      expect(await subject.driver.hardware(specification('answers'))).toMatch(
        new RegExp(` · 1 cpu · ${subject.runtime}$`),
      );
    });
  });
}

/** Returns the sandbox of a successful start. */
export function readySandbox(outcome: StartOutcome): Sandbox {
  if (outcome.kind !== 'ready') throw new Error(`the model is not ready: ${JSON.stringify(outcome)}`);
  return outcome.sandbox;
}

/** Returns the parsed answer of a successful request. */
export function answerOf(outcome: InvocationOutcome): unknown {
  if (outcome.kind !== 'answer') throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return JSON.parse(outcome.body.toString());
}
