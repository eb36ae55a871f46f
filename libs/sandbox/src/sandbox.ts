/** The data that a sandbox is given: `readable` inputs, which anyone may read, or `hidden` ones. Never both. */
export type SandboxData = 'readable' | 'hidden';

/** What decides how a model is run. Every figure is a hard limit. */
export interface SandboxSpecification {
  /** Of an installed image: the sha256 of the artifact it was rebuilt from. */
  readonly image: string;
  /** Replaces the image's own command; the entrypoint stays. */
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The port on which the model listens. */
  readonly port: number;
  readonly limits: SandboxLimits;
  readonly runtime: 'runc' | 'runsc';
  /** Set before the start: a sandbox for hidden data tells nothing, and is used for nothing else. */
  readonly data: SandboxData;
  /** `own` (the default): whole cores to itself where there are enough, as what is measured needs; `shared`: never. */
  readonly cores?: 'own' | 'shared';
  /** Who this sandbox belongs to; a sweep removes what a dead worker left. */
  readonly labels: {
    readonly run: string;
    readonly attempt: number;
    /** Ids of the accounts whose model it is. */
    readonly owners?: readonly string[];
    /** Milliseconds since 1970 after which a sweep of any other instance removes it, also where it does not know that this one is gone. */
    readonly deadline?: number;
  };
}

export interface SandboxLimits {
  /** Bytes, for memory and swap together. */
  readonly memory: number;
  readonly cpus: number;
  readonly pids: number;
  readonly startSeconds: number;
}

export interface InvocationLimits {
  /** Milliseconds until the whole answer must be here. */
  readonly deadline: number;
  /** Bytes of the body of the answer. */
  readonly responseBytes: number;
  /** Where it is posted (`/invocations`). */
  readonly path?: ModelPath;
}

/** What a model answers under; only the first must be there. */
export type ModelPath = '/invocations' | '/explain';

/** How a model ended, or failed to answer. The platform's own failure is never an outcome: it throws `SandboxUnavailable`. */
export type ModelFault =
  | { readonly kind: 'exited'; readonly code: number; readonly signal?: string }
  /** `amount` is the limit that was reached, in bytes or milliseconds. */
  | { readonly kind: 'exceeded'; readonly limit: 'memory' | 'time' | 'output'; readonly amount: number }
  | { readonly kind: 'never-ready'; readonly seconds: number; readonly why: string }
  | { readonly kind: 'status'; readonly status: number; readonly body: string }
  | { readonly kind: 'redirected'; readonly status: number }
  | { readonly kind: 'encoded'; readonly encoding: string }
  | { readonly kind: 'disconnected'; readonly why: string };

export type InvocationOutcome =
  | {
      readonly kind: 'answer';
      /** The body, as it came; parsing is the caller's, off the main loop where it is large. */
      readonly body: Buffer;
      /** Host's clock, first byte out to last byte in. */
      readonly milliseconds: number;
    }
  | ModelFault;

export type StartOutcome =
  | { readonly kind: 'ready'; readonly sandbox: Sandbox; readonly coldStartMilliseconds: number }
  | (ModelFault & { readonly log: string });

/** Memory of the sandbox since its start, in bytes. */
export interface MemoryReading {
  /** The larger of the sampled peak (20 Hz) of anonymous and shared memory, and the sum of VmHWM; null where the host does not show it. */
  readonly peak: number | null;
  /** The cgroup's own peak, page cache included; null where the kernel keeps none. */
  readonly cgroupPeak: number | null;
}

/** A running model. It knows no task: bytes go in, bytes come out. */
export interface Sandbox {
  readonly id: string;
  /**
   * Posts to `/invocations`, or where `limits` say. Several may be under way at once.
   *
   * @throws SandboxUnavailable where the platform failed, not the model
   */
  invoke(body: Buffer, limits: InvocationLimits): Promise<InvocationOutcome>;
  /**
   * Settles when the model has ended by itself, with how it did; never once it is stopped.
   *
   * @throws SandboxUnavailable where the platform ended it
   */
  whenEnded(): Promise<ModelFault>;
  memory(): Promise<MemoryReading>;
  /** The end of what the model wrote to its output, at most `bytes`. */
  log(bytes?: number): Promise<string>;
  /**
   * Whether figures clocked since the last call are not the model's alone: something else used its share of the host, it was throttled, or
   * who clocks was kept from it.
   */
  contended(): Promise<boolean>;
  /** Kills it and removes all that belongs to it. Idempotent; never throws because the model is gone already. */
  stop(): Promise<void>;
}

/** An image that was admitted: a docker-archive that the platform wrote itself. */
export interface InstallableImage {
  /** sha256 of the artifact it was rebuilt from; the image's tag is `assay/model:<digest>`. */
  readonly digest: string;
  /** Path of the rebuilt docker-archive on this host. */
  readonly archive: string;
}

/** The machine that runs models. One contract suite (`sandboxDriverContract`) holds for every driver. */
export interface SandboxDriver {
  /** Hardware class of this host for the given limits: CPU model, cpus, runtime. Costs compare only within one class. */
  hardware(specification: Pick<SandboxSpecification, 'limits' | 'runtime'>): Promise<string>;
  /** Whether next to nothing else runs on this host now: a time to measure. Takes a moment, in which it looks. */
  isQuiet(): Promise<boolean>;
  isInstalled(digest: string): Promise<boolean>;
  install(image: InstallableImage): Promise<void>;
  /** @throws SandboxUnavailable, or the engine's refusal, where a container uses it: it keeps its name */
  uninstall(digest: string): Promise<void>;
  /** How many sandboxes with readable data there are of models of these owners, on this engine, of whatever instance. */
  countReadable(owners: readonly string[]): Promise<number>;
  /**
   * Starts a model and waits until `GET /ping` answers 200. `signal` aborts at any point: it rejects with the signal's
   * reason and leaves nothing.
   *
   * @throws SandboxUnavailable where the platform failed: the engine, the relay, a runtime that the engine lacks
   */
  start(specification: SandboxSpecification, signal: AbortSignal): Promise<StartOutcome>;
  /**
   * Removes every sandbox of this instance whose run is not `live` (run ids), all of the instances that are `gone` (their names), and
   * those of any other that are past their deadline. Which are live is asked once the sandboxes are listed: a run that begins meanwhile keeps its own.
   * @returns how many were removed
   */
  sweep(live: () => ReadonlySet<string>, gone?: ReadonlySet<string>): Promise<number>;
  close(): Promise<void>;
}

/** The platform, not the model, failed: the engine does not answer, the disk is full. Retried by the caller. */
export class SandboxUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SandboxUnavailable';
  }
}
