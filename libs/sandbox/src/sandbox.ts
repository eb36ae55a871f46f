/**
 * The kind of data that a sandbox receives: `readable` inputs, which anyone may read, or `hidden`
 * ones. Never both.
 */
export type SandboxData = 'readable' | 'hidden';

/** Everything that determines how a model runs. Every limit is hard. */
export interface SandboxSpecification {
  /** The image: the sha256 of the artifact from which an installed image was rebuilt. */
  readonly image: string;
  /** Replaces the command of the image; the entrypoint stays. */
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The port on which the model listens. */
  readonly port: number;
  readonly limits: SandboxLimits;
  readonly runtime: 'runc' | 'runsc';
  /**
   * The data that the sandbox will receive, fixed before the start. A sandbox for hidden data
   * discloses nothing and is used for nothing else.
   */
  readonly data: SandboxData;
  /**
   * `own` (the default): exclusive whole cores if the host has enough, as measurements need.
   * `shared`: never exclusive.
   */
  readonly cores?: 'own' | 'shared';
  /** The owner of the sandbox; a sweep uses the labels to remove what a dead worker left. */
  readonly labels: {
    readonly run: string;
    readonly attempt: number;
    /** IDs of the accounts that own the model. */
    readonly owners?: readonly string[];
    /**
     * Milliseconds since 1970 after which a sweep of any other instance removes the sandbox, even
     * if that instance does not know that this one is gone.
     */
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
  /** Milliseconds until the whole response must have arrived. */
  readonly deadline: number;
  /** The most bytes of the response body. */
  readonly responseBytes: number;
  /** The path of the request. Default: `/invocations`. */
  readonly path?: ModelPath;
}

/** The paths that a model serves; only `/invocations` is required. */
export type ModelPath = '/invocations' | '/explain';

/**
 * How a model ended or failed to respond. A platform failure is never an outcome: it throws
 * `SandboxUnavailable`.
 */
export type ModelFault =
  | { readonly kind: 'exited'; readonly code: number; readonly signal?: string }
  /** `amount` is the limit that was exceeded, in bytes or milliseconds. */
  | { readonly kind: 'exceeded'; readonly limit: 'memory' | 'time' | 'output'; readonly amount: number }
  | { readonly kind: 'never-ready'; readonly seconds: number; readonly why: string }
  | { readonly kind: 'status'; readonly status: number; readonly body: string }
  | { readonly kind: 'redirected'; readonly status: number }
  | { readonly kind: 'encoded'; readonly encoding: string }
  | { readonly kind: 'disconnected'; readonly why: string };

export type InvocationOutcome =
  | {
      readonly kind: 'answer';
      /** The unparsed body. The caller parses it, off the main loop if it is large. */
      readonly body: Buffer;
      /** Measured with the host's clock, from the first byte sent to the last byte received. */
      readonly milliseconds: number;
    }
  | ModelFault;

export type StartOutcome =
  | { readonly kind: 'ready'; readonly sandbox: Sandbox; readonly coldStartMilliseconds: number }
  | (ModelFault & { readonly log: string });

/** The memory of the sandbox since its start, in bytes. */
export interface MemoryReading {
  /**
   * The larger of two figures: the sampled peak (20 Hz) of anonymous and shared memory, and the sum
   * of VmHWM. Null if the host does not expose them.
   */
  readonly peak: number | null;
  /** The cgroup's own peak, page cache included; null if the kernel does not record one. */
  readonly cgroupPeak: number | null;
}

/** A running model. It knows no task: bytes go in, bytes come out. */
export interface Sandbox {
  readonly id: string;
  /**
   * Posts `body` to `/invocations`, or to the path in `limits`. Requests may overlap.
   *
   * @throws SandboxUnavailable if the platform failed, not the model
   */
  invoke(body: Buffer, limits: InvocationLimits): Promise<InvocationOutcome>;
  /**
   * Resolves with the fault when the model has ended by itself; never settles after `stop`.
   *
   * @throws SandboxUnavailable if the platform ended the model
   */
  whenEnded(): Promise<ModelFault>;
  memory(): Promise<MemoryReading>;
  /**
   * Returns the CPU time that all processes of the model have used since its start, in seconds, as
   * the kernel counts it outside the sandbox. Null if the host does not expose it.
   */
  cpuSeconds(): Promise<number | null>;
  /** Returns the end of the model's output, at most `bytes` bytes. */
  log(bytes?: number): Promise<string>;
  /**
   * Returns whether something disturbed the timings since the last call: another process used the
   * model's share of the host, the model was throttled, or the measuring process stalled.
   */
  contended(): Promise<boolean>;
  /**
   * Kills the model and removes everything that belongs to the sandbox. Idempotent; never throws
   * because the model is already gone.
   */
  stop(): Promise<void>;
}

/** An admitted image: a docker-archive that the platform wrote. */
export interface InstallableImage {
  /**
   * The sha256 of the artifact from which the image was rebuilt. Its tag is `assay/model:<digest>`.
   */
  readonly digest: string;
  /** The path of the rebuilt docker-archive on this host. */
  readonly archive: string;
}

/**
 * The machine that runs models. Every driver passes the same contract suite,
 * `sandboxDriverContract`.
 */
export interface SandboxDriver {
  /**
   * Returns the hardware class of this host for the given limits: CPU model, cpus, runtime. Costs
   * are comparable only within one class.
   */
  hardware(specification: Pick<SandboxSpecification, 'limits' | 'runtime'>): Promise<string>;
  /**
   * Returns whether almost nothing else runs on this host, so that it is a good time to measure.
   * Observes the host for a moment.
   */
  isQuiet(): Promise<boolean>;
  isInstalled(digest: string): Promise<boolean>;
  install(image: InstallableImage): Promise<void>;
  /**
   * Removes an image.
   *
   * @throws SandboxUnavailable, or the engine's refusal, if a container uses the image, which then
   * keeps its tag
   */
  uninstall(digest: string): Promise<void>;
  /**
   * Counts the sandboxes with readable data that run models of these owners on this engine, in all
   * instances.
   */
  countReadable(owners: readonly string[]): Promise<number>;
  /**
   * Starts a model and waits until `GET /ping` answers 200. `signal` aborts at any point: the call
   * then rejects with the signal's reason and leaves nothing behind.
   *
   * @throws SandboxUnavailable if the platform failed: the engine, the relay, or a runtime that the
   * engine lacks
   */
  start(specification: SandboxSpecification, signal: AbortSignal): Promise<StartOutcome>;
  /**
   * Removes every sandbox of this instance whose run is not in `live` (run IDs), all sandboxes of
   * the instances in `gone` (names), and those of any other instance that are past their deadline.
   * `live` is called after the sandboxes are listed, so a run that begins meanwhile keeps its
   * sandbox.
   *
   * @returns the number of sandboxes removed
   */
  sweep(live: () => ReadonlySet<string>, gone?: ReadonlySet<string>): Promise<number>;
  /** Returns the names of the other instances that have sandboxes on the engine. */
  neighbours(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * The platform failed, not the model: the engine does not respond, or the disk is full. The caller
 * retries.
 */
export class SandboxUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SandboxUnavailable';
  }
}
