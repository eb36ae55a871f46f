import { setTimeout as sleep } from 'node:timers/promises';
import {
  SandboxUnavailable,
  type InvocationLimits,
  type InvocationOutcome,
  type MemoryReading,
  type ModelFault,
  type Sandbox,
  type SandboxLimits,
} from '../sandbox.js';
import { cgroupOf, kernelFolders, type Cgroup, type KernelFolders } from './cgroup.js';
import { logText } from './container-log.js';
import { containerName } from './container-settings.js';
import type { CoreShare } from './core-allocator.js';
import { CpuContention } from './cpu-contention.js';
import type { DockerEngine } from './docker-engine.js';
import { LoopStalls } from './loop-stalls.js';
import { MemoryMeter } from './memory-meter.js';
import { ModelConnection, type Exchange } from './model-connection.js';
import { endOf, isBeingRemoved } from './model-end.js';
import { whyNotReady } from './not-ready.js';

/** Milliseconds that the engine may take to report the death of a model whose connection broke. */
const noticing = 1500;
/** The same on a busy host, once the kernel has removed the cgroup of the model. */
const reporting = 15_000;
const logBytes = 64 * 1024;

/** An end that nobody requested, and the party that caused it. */
type Ending =
  { readonly who: 'model'; readonly fault: ModelFault } | { readonly who: 'platform'; readonly why: string };

export interface SandboxParts {
  readonly id: string;
  readonly engine: DockerEngine;
  readonly limits: SandboxLimits;
  readonly share: CoreShare;
  readonly socketPath: string;
  /** Removes the containers and the folder, and releases the cores. */
  readonly dispose: () => Promise<void>;
  /** Default: the folders of this host. */
  readonly kernel?: KernelFolders;
}

/**
 * A model and its relay in two containers. Created before the containers, so that it can be stopped
 * whatever happens.
 */
export class DockerSandbox implements Sandbox {
  readonly id: string;
  private readonly connection: ModelConnection;
  private readonly listening = new AbortController();
  private readonly ended = Promise.withResolvers<Ending>();
  private ending: Ending | null = null;
  private cgroup: Cgroup | null = null;
  private meter = new MemoryMeter(null);
  private contention: CpuContention | null = null;
  private stalls: LoopStalls | null = null;
  /**
   * Set before anything is killed, so that the platform's own kill never counts as the model's
   * death.
   */
  private stopping: Promise<void> | null = null;

  constructor(private readonly parts: SandboxParts) {
    this.id = parts.id;
    this.connection = new ModelConnection(parts.socketPath);
  }

  /** Watches the model's container, which is already running, until it ends. */
  async watchModel(container: string): Promise<void> {
    const { engine, share, kernel = kernelFolders } = this.parts;
    const facts = await engine.inspect(container);
    const pid = facts?.State.Pid ?? 0;
    this.cgroup = pid > 0 ? cgroupOf(pid, kernel) : null;
    this.meter = new MemoryMeter(this.cgroup);
    this.meter.start();
    this.contention = new CpuContention(this.cgroup, share.own ? share.cores : null, kernel);
    this.stalls = this.stopping ? null : new LoopStalls();
    this.follow(container, async () => {
      const kills = this.meter.kills;
      const state = (await engine.inspect(container))?.State;
      if (!state || isBeingRemoved(state))
        return { who: 'platform', why: 'the container of the model was removed by another program' };
      return { who: 'model', fault: endOf(state, kills, this.parts.limits.memory) };
    });
  }

  /** Watches the relay's container. A model cannot end it, so its end is a platform failure. */
  watchRelay(container: string): void {
    this.follow(container, async () => {
      const log = await this.parts.engine.logs(container);
      return { who: 'platform', why: `the relay ended: ${log ? logText(log, 1024).trim() : 'it was removed'}` };
    });
  }

  /**
   * Waits until `GET /ping` answers 200.
   *
   * @returns null when the model is ready, otherwise its fault
   */
  async ready(signal: AbortSignal): Promise<ModelFault | null> {
    // a listener on `signal`, which may outlive the sandbox, would keep the sandbox in memory
    const over = new AbortController();
    try {
      return await this.readyUnless(signal, aborted(signal, over.signal));
    } finally {
      over.abort();
    }
  }

  private async readyUnless(signal: AbortSignal, given: Promise<null>): Promise<ModelFault | null> {
    const { startSeconds } = this.parts.limits;
    const end = performance.now() + startSeconds * 1000;
    let why = 'nothing listens on its port';
    let reached = false;
    for (let pause = 5; performance.now() < end; pause = Math.min(100, pause * 1.3)) {
      signal.throwIfAborted();
      const left = end - performance.now();
      const patience = Math.min(left, 10_000);
      const answer = await Promise.race([this.exchange(this.connection.ping(patience)), this.ended.promise, given]);
      signal.throwIfAborted();
      if (answer === null || 'who' in answer) return await this.settled(0);
      if (answer.kind === 'answer') return null;
      reached ||= answer.kind !== 'unreached';
      why = whyNotReady(answer, patience, why);
      await Promise.race([sleep(Math.min(pause, left), undefined, { ref: false }), this.ended.promise]);
    }
    const fault = await this.settled(0);
    if (fault) return fault;
    if (!reached) throw new SandboxUnavailable(`the relay of sandbox ${this.id} did not open its socket`);
    return { kind: 'never-ready', seconds: startSeconds, why };
  }

  /**
   * Returns whether the model's main process has ended. Waits up to 1.5 s for the engine to report
   * the end.
   */
  async hasEnded(): Promise<boolean> {
    await Promise.race([this.ended.promise, sleep(noticing, undefined, { ref: false })]);
    return this.ending !== null;
  }

  async invoke(body: Buffer, limits: InvocationLimits): Promise<InvocationOutcome> {
    const killsBefore = this.meter.kills;
    const outcome = await this.exchange(this.connection.invoke(body, limits));
    switch (outcome.kind) {
      case 'answer':
      case 'exceeded':
      case 'redirected':
      case 'encoded':
      case 'exited':
      case 'never-ready':
        return outcome;
      case 'status':
        // a server of several processes survives the death of the one that used too much memory
        return this.meter.kills > killsBefore ? this.tooMuchMemory() : outcome;
      case 'disconnected':
      case 'unreached': {
        const fault = (await this.settled(noticing)) ?? (this.meter.isGone ? await this.settled(reporting) : null);
        if (fault) return fault;
        if (this.stopping) return { kind: 'disconnected', why: 'the sandbox was stopped' };
        if (this.meter.kills > killsBefore) return this.tooMuchMemory();
        if (outcome.kind === 'unreached')
          throw new SandboxUnavailable(`the relay of sandbox ${this.id} does not answer: ${outcome.why}`);
        return outcome;
      }
    }
  }

  async whenEnded(): Promise<ModelFault> {
    return this.faultOf(await this.ended.promise);
  }

  memory(): Promise<MemoryReading> {
    const { peak, cgroupPeak } = this.meter.read();
    return Promise.resolve({ peak: this.cgroup ? peak : null, cgroupPeak });
  }

  cpuSeconds(): Promise<number | null> {
    return Promise.resolve(this.cgroup?.cpuSeconds() ?? null);
  }

  async log(bytes = logBytes): Promise<string> {
    const frames = await this.parts.engine.logs(containerName(this.id, 'model'));
    return frames ? logText(frames, bytes) : '';
  }

  contended(): Promise<boolean> {
    // asks both, because each starts a new period
    const disturbed = [this.contention?.sinceLast(), this.stalls?.sinceLast()];
    return Promise.resolve(disturbed.includes(true));
  }

  stop(): Promise<void> {
    this.stopping ??= this.dispose();
    return this.stopping;
  }

  private async dispose(): Promise<void> {
    this.listening.abort();
    this.meter.read();
    this.meter.stop();
    this.stalls?.stop();
    this.connection.close();
    await this.parts.dispose();
  }

  /**
   * Counts the processes that the kernel killed as soon as a connection breaks. The cgroup is
   * removed moments later, and the engine sometimes reports the end before the kill.
   */
  private async exchange(exchange: Promise<Exchange>): Promise<Exchange> {
    const outcome = await exchange;
    if (outcome.kind === 'disconnected' || outcome.kind === 'unreached') this.meter.countKills();
    return outcome;
  }

  private follow(container: string, read: () => Promise<Ending>): void {
    this.parts.engine
      .wait(container, this.listening.signal)
      .then(() => read())
      .catch((error: unknown): Ending => ({ who: 'platform', why: (error as Error).message }))
      .then((ending) => {
        if (this.stopping) return;
        this.ending ??= ending;
        this.ended.resolve(ending);
      })
      .catch(() => undefined);
  }

  /**
   * Returns how the model ended, or null if it has not. Waits at most `milliseconds` for that to be
   * known.
   */
  private async settled(milliseconds: number): Promise<ModelFault | null> {
    if (!this.ending && !this.stopping && milliseconds > 0) {
      const patience = sleep(milliseconds, undefined, { ref: false });
      await Promise.race([this.ended.promise, patience, aborted(this.listening.signal)]);
    }
    return this.stopping || !this.ending ? null : this.faultOf(this.ending);
  }

  private faultOf(ending: Ending): ModelFault {
    if (ending.who === 'platform') throw new SandboxUnavailable(`sandbox ${this.id}: ${ending.why}`);
    return ending.fault;
  }

  private tooMuchMemory(): ModelFault {
    return { kind: 'exceeded', limit: 'memory', amount: this.parts.limits.memory };
  }
}

/**
 * Resolves when `signal` aborts.
 * @param until stops the wait when it aborts; the promise then never settles
 */
function aborted(signal: AbortSignal, until?: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true, ...(until && { signal: until }) });
  });
}
