import type {
  DeploymentAssignment,
  DeploymentOutcome,
  LeasedDeploymentView,
  ReportDeployment,
} from '@assay/contracts/serving';
import { type Ceilings, clampLimits } from '@assay/tasks/limits';
import { lineGroups } from '@assay/tasks/examples';
import { z } from 'zod';
import type { ArtifactCache } from './artifact-cache.js';
import { LeaseRenewal } from './lease-renewal.js';
import { LeasedArtifact } from './leased-artifact.js';
import { Retries } from './retries.js';
import type { ServiceClient } from './service-client.js';

export interface HttpDeploymentParts {
  readonly client: ServiceClient;
  readonly artifacts: ArtifactCache;
  /** The limits of the model are lowered to these; default: the limits that the task sets. */
  readonly ceilings?: Ceilings;
}

/**
 * A deployment that this evaluator has leased from the service. Its state is reported at every
 * change, and repeatedly, which renews the lease.
 */
export class HttpDeployment {
  readonly assignment: DeploymentAssignment;
  /**
   * Aborted with `LeaseLost` when the lease is lost, and with another reason when the evaluator
   * leaves. It ends all requests.
   */
  readonly signal: AbortSignal;
  private readonly renewal: LeaseRenewal;
  private readonly uploaded: LeasedArtifact;
  private reported: ReportDeployment = { state: 'starting', step: 'image' };
  private outcome: DeploymentOutcome['kind'] | null = null;

  constructor(
    private readonly parts: HttpDeploymentParts,
    private readonly view: LeasedDeploymentView,
    leaving: AbortSignal,
  ) {
    const { assignment, leaseSeconds } = view;
    const { specification, artifact } = assignment;
    const limits = parts.ceilings ? clampLimits(specification.limits, parts.ceilings) : specification.limits;
    this.assignment = { ...assignment, specification: { ...specification, limits } };
    this.renewal = new LeaseRenewal(leaseSeconds, (silentSeconds, signal) => {
      const request = { method: 'PUT', path: this.path('state'), body: this.reported, silentSeconds } as const;
      return parts.client.requestOnce(request, z.unknown(), signal);
    });
    this.signal = AbortSignal.any([this.renewal.signal, leaving]);
    this.uploaded = new LeasedArtifact({ ...parts, signal: this.signal }, artifact, this.path('artifact'));
  }

  /** Seconds since people asked the model while it could not answer; infinite if nobody did. */
  get askedSeconds(): number {
    return this.view.askedSeconds ?? Infinity;
  }

  /** True if the lease is lost. */
  get isLost(): boolean {
    return this.renewal.signal.aborted;
  }

  /** How the lease ended; null: it has not been ended. */
  get ended(): DeploymentOutcome['kind'] | null {
    return this.outcome;
  }

  /** Reports the state now, and from then on. */
  report(state: ReportDeployment): void {
    this.reported = state;
    this.renewal.now();
  }

  /**
   * Returns the path of a local file with the artifact as uploaded.
   * @throws Error if the bytes do not have the digest of the assignment
   */
  artifact(): Promise<string> {
    return this.uploaded.file();
  }

  /** Returns the first instances that the model is asked, each as JSON. */
  async warmUpInstances(): Promise<readonly string[]> {
    const retries = new Retries(this.signal);
    for (;;) {
      try {
        return await this.readWarmUp();
      } catch (error) {
        await retries.after(error);
      }
    }
  }

  /** Ends the lease. */
  async end(body: DeploymentOutcome, signal = this.signal): Promise<void> {
    await this.parts.client.send({ method: 'POST', path: this.path('outcome'), body }, signal);
    this.outcome = body.kind;
  }

  /** Stops the reports, and releases the artifact. Call it when nothing uses the deployment any more. */
  async close(): Promise<void> {
    this.renewal.close();
    await this.uploaded.release();
  }

  private async readWarmUp(): Promise<readonly string[]> {
    const { chunks } = await this.parts.client.open({ method: 'GET', path: this.path('warm-up') }, this.signal);
    const instances: string[] = [];
    for await (const lines of lineGroups(chunks)) instances.push(...lines.filter((line) => line !== ''));
    if (instances.length === 0) throw new Error('The service sent no instance to warm the model up.');
    return instances;
  }

  private path(route: string): string {
    const { deployment, fence } = this.view.assignment;
    return `/deployments/${encodeURIComponent(deployment)}/${route}?fence=${fence}`;
  }
}
