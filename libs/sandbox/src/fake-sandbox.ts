import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { SandboxUnavailable } from './sandbox.js';
import type {
  InstallableImage,
  InvocationLimits,
  InvocationOutcome,
  MemoryReading,
  ModelFault,
  ModelPath,
  Sandbox,
  SandboxDriver,
  SandboxSpecification,
  StartOutcome,
} from './sandbox.js';

/** The result of a request: the bytes of the answer, or the fault that the model shows instead. */
export type FakeReply = Buffer | ModelFault;

/** A scripted model that runs in this process. */
export interface FakeModel {
  /** Returns the milliseconds until `GET /ping` answers 200, or a fault if it never does. */
  start(specification: SandboxSpecification): number | ModelFault;
  /** Answers a request. `signal` aborts when the caller no longer waits for the reply. */
  reply(body: Buffer, signal: AbortSignal, path?: ModelPath): FakeReply | Promise<FakeReply>;
  /** The output that the model has written so far. */
  readonly output?: string;
  /** The bytes that the memory meter reads. Default: 64 MiB. */
  readonly memory?: number;
  /**
   * Returns the CPU seconds that the model has used after `requests` requests. Default: 1 ms for
   * each. Null: the host has no counter.
   */
  cpuSeconds?(requests: number): number | null;
  /** True if other processes use the model's share of the host. */
  readonly contended?: boolean;
}

/** Models for tests. */
export const fakeModel = {
  /** Answers with the JSON of what `reply` returns for the request's JSON. */
  answers(reply: (request: unknown) => unknown, more: Partial<FakeModel> = {}): FakeModel {
    return {
      start: () => 0,
      reply: (body) => Buffer.from(JSON.stringify(reply(JSON.parse(body.toString())))),
      ...more,
    };
  },

  /** Answers with `bytes`, which need not be JSON. */
  answersBytes(bytes: Buffer): FakeModel {
    return { start: () => 0, reply: () => bytes };
  },

  /** Exits before it is ready. */
  exits(code: number, output = ''): FakeModel {
    return { start: () => ({ kind: 'exited', code }), reply: () => ({ kind: 'exited', code }), output };
  },

  /** Answers `requests` requests and then exits. */
  exitsAfter(requests: number, code: number, model: FakeModel): FakeModel {
    let answered = 0;
    return {
      ...model,
      reply: (body, signal, path) =>
        answered++ < requests ? model.reply(body, signal, path) : { kind: 'exited', code },
    };
  },

  /** Does not answer `GET /ping` with 200 before the start deadline. */
  neverReady(why = 'GET /ping answered 503'): FakeModel {
    return {
      start: ({ limits }) => ({ kind: 'never-ready', seconds: limits.startSeconds, why }),
      reply: () => ({ kind: 'status', status: 503, body: '' }),
    };
  },

  /** Answers as `model` does, after a delay of `milliseconds`. */
  slow(milliseconds: number, model: FakeModel): FakeModel {
    return {
      ...model,
      reply: async (body, signal, path) => {
        await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
        return model.reply(body, signal, path);
      },
    };
  },

  /** Answers with `bytes` spaces. */
  tooLarge(bytes: number): FakeModel {
    return { start: () => 0, reply: () => Buffer.alloc(bytes, 0x20) };
  },

  /** Returns the same fault for every request. */
  fails(fault: ModelFault): FakeModel {
    return { start: () => 0, reply: () => fault };
  },
} as const;

/**
 * A driver without an engine: its models are scripts in this process. Passes
 * `sandboxDriverContract`.
 */
export class FakeSandboxDriver implements SandboxDriver {
  /** The digests of the installed images, in order of installation. */
  readonly installed = new Set<string>();
  /** The specifications of all starts, in order. */
  readonly started: SandboxSpecification[] = [];
  /** The sandboxes that were started and not stopped. */
  readonly running = new Map<string, SandboxSpecification>();
  /** While set, every call fails as if the engine were down, with this message. */
  outage: string | null = null;
  /** True if nothing else runs on the host. */
  quiet = true;
  private readonly sandboxes = new Map<string, FakeSandbox>();
  private count = 0;

  /**
   * @param models the script of each image, by digest. An image that is not installed has a script
   * too, so tests may skip `install`.
   */
  constructor(private readonly models: Readonly<Record<string, FakeModel>> | ((digest: string) => FakeModel)) {}

  hardware({ limits, runtime }: Pick<SandboxSpecification, 'limits' | 'runtime'>): Promise<string> {
    return this.whenUp(() => `fake · ${limits.cpus} cpu · ${runtime}`);
  }

  isQuiet(): Promise<boolean> {
    return this.whenUp(() => this.quiet);
  }

  isInstalled(digest: string): Promise<boolean> {
    return this.whenUp(() => this.installed.has(digest));
  }

  install({ digest }: InstallableImage): Promise<void> {
    return this.whenUp(() => void this.installed.add(digest));
  }

  uninstall(digest: string): Promise<void> {
    return this.whenUp(() => void this.installed.delete(digest));
  }

  countReadable(owners: readonly string[]): Promise<number> {
    return this.whenUp(
      () =>
        [...this.running.values()].filter(
          ({ data, labels }) => data === 'readable' && labels.owners?.some((owner) => owners.includes(owner)),
        ).length,
    );
  }

  async start(specification: SandboxSpecification, signal: AbortSignal): Promise<StartOutcome> {
    signal.throwIfAborted();
    const model = await this.whenUp(() => this.modelOf(specification.image));
    this.started.push(specification);

    const id = `fake-${++this.count}`;
    const sandbox = new FakeSandbox(id, model, () => {
      this.running.delete(id);
      this.sandboxes.delete(id);
    });
    this.running.set(id, specification);
    this.sandboxes.set(id, sandbox);
    const ready = model.start(specification);
    if (typeof ready !== 'number') {
      const log = await sandbox.log();
      await sandbox.stop();
      return { ...ready, log };
    }

    try {
      await sleep(ready, undefined, { signal });
    } catch {
      await sandbox.stop();
      throw signal.reason;
    }
    return { kind: 'ready', sandbox, coldStartMilliseconds: ready };
  }

  neighbours(): Promise<readonly string[]> {
    return this.whenUp(() => Promise.resolve([]));
  }

  sweep(live: () => ReadonlySet<string>): Promise<number> {
    return this.whenUp(async () => {
      const listed = [...this.running];
      await nextTurn();
      const alive = live();
      const dead = listed.filter(([, { labels }]) => !alive.has(labels.run));
      for (const [id] of dead) await this.sandboxes.get(id)?.stop();
      return dead.length;
    });
  }

  /** Ends all models that run the image `digest`, as if each had ended by itself. */
  kill(digest: string, fault: ModelFault = { kind: 'exited', code: 137, signal: 'SIGKILL' }): void {
    for (const [id, { image }] of this.running) if (image === digest) this.sandboxes.get(id)?.die(fault);
  }

  async close(): Promise<void> {
    await Promise.all([...this.sandboxes.values()].map((sandbox) => sandbox.stop()));
  }

  private modelOf(digest: string): FakeModel {
    const model = typeof this.models === 'function' ? this.models(digest) : this.models[digest];
    if (!model) throw new SandboxUnavailable(`no image assay/model:${digest}`);
    return model;
  }

  // async, so that an outage rejects and never throws synchronously
  private async whenUp<T>(act: () => T | Promise<T>): Promise<T> {
    if (this.outage !== null) throw new SandboxUnavailable(this.outage);
    return await act();
  }
}

class FakeSandbox implements Sandbox {
  private readonly stopped = new AbortController();
  private ended: ModelFault | null = null;
  private requests = 0;
  private readonly end = Promise.withResolvers<ModelFault>();

  constructor(
    readonly id: string,
    private readonly model: FakeModel,
    private readonly leave: () => void,
  ) {}

  async invoke(body: Buffer, limits: InvocationLimits): Promise<InvocationOutcome> {
    if (this.stopped.signal.aborted) return stoppedOutcome;
    if (this.ended) return this.ended;

    this.requests++;
    const started = performance.now();
    const patience = new AbortController();
    const late = sleep(limits.deadline, 'late' as const, { signal: patience.signal, ref: false }).catch(
      () => 'late' as const,
    );
    const stopped = new Promise<'stopped'>((resolve) => {
      this.stopped.signal.addEventListener('abort', () => resolve('stopped'), { once: true, signal: patience.signal });
    });
    const reply = await Promise.race([
      this.model.reply(body, patience.signal, limits.path ?? '/invocations'),
      late,
      stopped,
    ]);
    patience.abort();
    if (reply === 'stopped') return stoppedOutcome;
    if (reply === 'late') return { kind: 'exceeded', limit: 'time', amount: limits.deadline };
    if (!Buffer.isBuffer(reply)) return this.failed(reply);
    if (reply.length > limits.responseBytes) return { kind: 'exceeded', limit: 'output', amount: limits.responseBytes };
    return { kind: 'answer', body: reply, milliseconds: performance.now() - started };
  }

  whenEnded(): Promise<ModelFault> {
    return this.end.promise;
  }

  /** Ends the model while no request is in progress. */
  die(fault: ModelFault): void {
    this.ended ??= fault;
    this.end.resolve(fault);
  }

  memory(): Promise<MemoryReading> {
    const peak = this.model.memory ?? 64 * 1024 * 1024;
    return Promise.resolve({ peak, cgroupPeak: peak });
  }

  cpuSeconds(): Promise<number | null> {
    const { model, requests } = this;
    return Promise.resolve(model.cpuSeconds ? model.cpuSeconds(requests) : requests / 1000);
  }

  log(bytes = 65_536): Promise<string> {
    return Promise.resolve(
      Buffer.from(this.model.output ?? '')
        .subarray(-bytes)
        .toString(),
    );
  }

  contended(): Promise<boolean> {
    return Promise.resolve(this.model.contended ?? false);
  }

  stop(): Promise<void> {
    this.stopped.abort();
    this.leave();
    return Promise.resolve();
  }

  private failed(fault: ModelFault): ModelFault {
    // a dead model stays dead; any other fault affects only its own request
    if (fault.kind === 'exited' || (fault.kind === 'exceeded' && fault.limit === 'memory')) this.die(fault);
    return fault;
  }
}

const stoppedOutcome = { kind: 'disconnected', why: 'the sandbox was stopped' } as const;
