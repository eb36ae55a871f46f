import type { LatencyFloor } from '@assay/contracts/metrics';
import type { Sandbox, SandboxDriver, SandboxSpecification } from '@assay/sandbox';
import { latencyPercentiles, MINIMUM_SAMPLES } from '@assay/scoring/costs';
import { Logger } from '@nestjs/common';
import { failpoint } from '@assay/observability';
import { inSandbox } from '../session/model-sandbox.js';

/**
 * Milliseconds for which a floor is reused: the floor depends on the requests and the host, not on
 * the session, so it holds for other sessions soon afterwards.
 */
const FRESH_MILLISECONDS = 10 * 60_000;
const REQUESTS = MINIMUM_SAMPLES[99];
const WARM_UP_REQUESTS = 64;
/** Milliseconds for all requests together: with large inputs fewer requests are sent. */
const TIME = 5_000;
const REQUEST_DEADLINE = 5_000;
const RESPONSE_BYTES = 1_024;

export interface LatencyFloorsParts {
  readonly driver: SandboxDriver;
  /**
   * Installs the null model.
   *
   * @returns the digest of its image
   */
  readonly nullModel: () => Promise<string>;
  /** Returns the milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

export interface FloorRequest {
  /**
   * Specification of the model's sandbox. The null model runs with the same limits, runtime and
   * labels.
   */
  readonly like: SandboxSpecification;
  /** The model's own instances, as JSON, of one task. The null model receives the same. */
  readonly instances: readonly string[];
  readonly task: string;
  /**
   * The treatment of a cached floor that was measured under contention: measured again, which is for
   * runs that hold the host alone, or used.
   */
  readonly contended: 'taken again' | 'kept';
  readonly signal: AbortSignal;
}

interface KnownFloor {
  readonly floor: LatencyFloor;
  readonly isContended: boolean;
  readonly at: number;
}

/**
 * The latencies of a model that does nothing: the time that the container, the relay and the
 * connection take by themselves. Measured while nothing else is timed; cached for ten minutes for
 * models of the same task, limits and runtime.
 */
export class LatencyFloors {
  private readonly logger = new Logger(LatencyFloors.name);
  private readonly known = new Map<string, KnownFloor>();
  /** The measurements in progress. Runs that need the same floor at the same time share one. */
  private readonly running = new Map<string, Promise<Measured>>();
  private readonly now: () => number;

  constructor(private readonly parts: LatencyFloorsParts) {
    this.now = parts.now ?? (() => performance.now());
  }

  /**
   * @returns null if it cannot be measured now: figures without a floor are better than no figures
   */
  async floor(request: FloorRequest): Promise<LatencyFloor | null> {
    const { like, task, instances, contended, signal } = request;
    if (instances.length === 0) return null;
    const { cpus, memory, pids } = like.limits;
    const key = JSON.stringify([task, like.runtime, cpus, memory, pids]);
    const known = this.known.get(key);
    const isUsable = known && !(known.isContended && contended === 'taken again');
    if (isUsable && this.now() - known.at < FRESH_MILLISECONDS) return known.floor;

    this.known.delete(key);
    try {
      const running = this.running.get(key) ?? this.measure(request).finally(() => this.running.delete(key));
      this.running.set(key, running);
      const { floor, contended: isContended } = await running;
      if (floor) this.known.set(key, { floor, isContended, at: this.now() });
      return floor;
    } catch (error) {
      signal.throwIfAborted();
      this.logger.warn(`no floor was measured: ${(error as Error).message}`);
      return null;
    }
  }

  private async measure({ like, instances, signal }: FloorRequest): Promise<Measured> {
    const image = await this.parts.nullModel();
    const { limits, runtime, data, labels } = like;
    const specification = { image, environment: {}, port: NULL_MODEL_PORT, limits, runtime, data, labels };
    const started = await this.parts.driver.start(specification, signal);
    if (started.kind !== 'ready') throw new Error(`the null model did not start: ${started.kind}`);
    return inSandbox(started.sandbox, signal, () => this.time(started.sandbox, instances, signal));
  }

  private async time(sandbox: Sandbox, instances: readonly string[], signal: AbortSignal): Promise<Measured> {
    failpoint('after-floor-start');
    const milliseconds: number[] = [];
    const began = this.now();
    for (let request = 0; request < WARM_UP_REQUESTS + REQUESTS && this.now() - began < TIME; request++) {
      if (request === WARM_UP_REQUESTS) await sandbox.contended();
      const body = Buffer.from(`{"instances":[${instances[request % instances.length]!}]}`);
      const outcome = await sandbox.invoke(body, { deadline: REQUEST_DEADLINE, responseBytes: RESPONSE_BYTES });
      signal.throwIfAborted();
      if (outcome.kind !== 'answer') throw new Error(`the null model did not answer: ${outcome.kind}`);
      if (request >= WARM_UP_REQUESTS) milliseconds.push(outcome.milliseconds);
    }
    const { count, p50, p90, p95, p99, bins } = latencyPercentiles(milliseconds);
    const floor = {
      latency_p50: p50?.value ?? null,
      latency_p90: p90?.value ?? null,
      latency_p95: p95?.value ?? null,
      latency_p99: p99?.value ?? null,
      ...{ count, bins },
    };
    return { floor: p50 === null ? null : floor, contended: await sandbox.contended() };
  }
}

interface Measured {
  readonly floor: LatencyFloor | null;
  readonly contended: boolean;
}

const NULL_MODEL_PORT = 8080;
