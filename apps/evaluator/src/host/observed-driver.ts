import { traced, tracer } from '@assay/observability';
import type {
  InstallableImage,
  InvocationLimits,
  InvocationOutcome,
  MemoryReading,
  ModelFault,
  Sandbox,
  SandboxDriver,
  SandboxSpecification,
  StartOutcome,
} from '@assay/sandbox';
import type { Span } from '@opentelemetry/api';
import type { SandboxMetrics } from './sandbox-metrics.js';

/** A sandbox driver that counts and traces its sandboxes. */
export class ObservedDriver implements SandboxDriver {
  constructor(
    private readonly driver: SandboxDriver,
    private readonly metrics: SandboxMetrics,
  ) {}

  async start(specification: SandboxSpecification, signal: AbortSignal): Promise<StartOutcome> {
    const { runtime } = specification;
    const started = performance.now();
    let outcome: string = signal.aborted ? 'aborted' : 'unavailable';
    try {
      const ended = await traced('sandbox start', { 'assay.runtime': runtime }, () =>
        this.driver.start(specification, signal),
      );
      outcome = ended.kind;
      if (ended.kind !== 'ready') {
        this.countFault(ended);
        return ended;
      }
      return { ...ended, sandbox: new ObservedSandbox(ended.sandbox, this.metrics) };
    } catch (error) {
      if (signal.aborted) outcome = 'aborted';
      throw error;
    } finally {
      this.metrics.sandboxStarted(runtime, outcome, (performance.now() - started) / 1000);
    }
  }

  async sweep(live: () => ReadonlySet<string>, gone?: ReadonlySet<string>): Promise<number> {
    const removed = await this.driver.sweep(live, gone);
    this.metrics.sandboxesSwept(removed);
    return removed;
  }

  neighbours(): Promise<readonly string[]> {
    return this.driver.neighbours();
  }

  install(image: InstallableImage): Promise<void> {
    return traced('sandbox install', {}, () => this.driver.install(image));
  }

  hardware(specification: Pick<SandboxSpecification, 'limits' | 'runtime'>): Promise<string> {
    return this.driver.hardware(specification);
  }

  isQuiet(): Promise<boolean> {
    return this.driver.isQuiet();
  }

  countReadable(owners: readonly string[]): Promise<number> {
    return this.driver.countReadable(owners);
  }

  isInstalled(digest: string): Promise<boolean> {
    return this.driver.isInstalled(digest);
  }

  uninstall(digest: string): Promise<void> {
    return this.driver.uninstall(digest);
  }

  close(): Promise<void> {
    return this.driver.close();
  }

  private countFault(fault: ModelFault): void {
    if (fault.kind === 'exceeded') this.metrics.sandboxKilled(fault.limit);
  }
}

class ObservedSandbox implements Sandbox {
  private readonly span: Span = tracer().startSpan('sandbox');
  private killed = false;
  private over = false;

  constructor(
    private readonly sandbox: Sandbox,
    private readonly metrics: SandboxMetrics,
  ) {
    metrics.sandboxLives(1);
  }

  get id(): string {
    return this.sandbox.id;
  }

  invoke(body: Buffer, limits: InvocationLimits): Promise<InvocationOutcome> {
    return this.sandbox.invoke(body, limits).then((outcome) => {
      if (outcome.kind !== 'answer') this.observe(outcome);
      return outcome;
    });
  }

  whenEnded(): Promise<ModelFault> {
    return this.sandbox.whenEnded().then((fault) => {
      this.observe(fault);
      return fault;
    });
  }

  memory(): Promise<MemoryReading> {
    return this.sandbox.memory();
  }

  cpuSeconds(): Promise<number | null> {
    return this.sandbox.cpuSeconds();
  }

  log(bytes?: number): Promise<string> {
    return this.sandbox.log(bytes);
  }

  contended(): Promise<boolean> {
    return this.sandbox.contended();
  }

  stop(): Promise<void> {
    if (!this.over) {
      this.over = true;
      this.metrics.sandboxLives(-1);
      this.span.end();
    }
    return this.sandbox.stop();
  }

  /** Counts a sandbox that exceeded a limit once, even with several requests in flight. */
  private observe(fault: ModelFault): void {
    this.span.setAttribute('assay.fault', fault.kind);
    if (fault.kind !== 'exceeded' || this.killed) return;
    this.killed = true;
    this.metrics.sandboxKilled(fault.limit);
  }
}
