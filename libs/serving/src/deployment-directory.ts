import type { Serving } from '@assay/contracts/serving';
import { Notifications } from '@assay/persistence/outbox';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { DEPLOYMENT_CHANNEL } from './deployment.js';
import { DeploymentRepository, type KnownDeployment, type ModelDeployment } from './deployment.repository.js';

/** The cache lifetime, and so the maximum delay of a change whose notification was missed. */
const CACHED_MILLISECONDS = 1000;

/**
 * Finds where target models are served. Caches the rows of the database for one second, because a
 * prediction must not wait for the query.
 */
@Injectable()
export class DeploymentDirectory {
  private readonly known = new Map<
    string,
    { readonly until: number; readonly deployments: Promise<KnownDeployment[]> }
  >();
  private listening: Promise<unknown> | null = null;

  constructor(
    private readonly em: EntityManager,
    @Inject(Notifications) private readonly notifications: Pick<Notifications, 'subscribe'>,
  ) {}

  /** Returns the deployments of a model, those that can answer first. */
  of(modelId: string): Promise<readonly KnownDeployment[]> {
    this.listening ??= this.notifications.subscribe(
      DEPLOYMENT_CHANNEL,
      () => this.known.clear(),
      () => this.known.clear(),
    );
    const now = performance.now();
    const known = this.known.get(modelId);
    if (known && known.until > now) return known.deployments;

    const deployments = this.listening.then(() => this.read([modelId])).then((rows) => rows.map(withoutModel));
    this.known.set(modelId, { until: now + CACHED_MILLISECONDS, deployments });
    deployments.catch(() => this.known.delete(modelId));
    return deployments;
  }

  /** Drops the cached deployments of a model, after they turned out to be outdated. */
  forget(modelId: string): void {
    this.known.delete(modelId);
  }

  /** Records that people ask a model whose deployment cannot answer. Runs of its owner then wait. */
  recordQuestion({ id }: KnownDeployment): Promise<void> {
    return new DeploymentRepository(this.em.fork()).markAsked(id);
  }

  /** Returns how each of the models is served. Models without a deployment are omitted. */
  async serving(modelIds: readonly string[]): Promise<ReadonlyMap<string, Serving>> {
    const servings = new Map<string, Serving>();
    for (const { model, state, paused, progress, failure } of await this.read(modelIds)) {
      if (servings.has(model)) continue;
      servings.set(model, { state, paused, ...(progress && { progress }), ...(failure && { failure }) });
    }
    return servings;
  }

  private read(modelIds: readonly string[]): Promise<ModelDeployment[]> {
    return new DeploymentRepository(this.em.fork()).ofModels(modelIds);
  }
}

const withoutModel = ({ model: _, ...known }: ModelDeployment): KnownDeployment => known;
