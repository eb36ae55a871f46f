import { mkdir } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { ClaimMetrics, healthParts, Metrics, MetricsServer, Tracing } from '@assay/observability';
import { CEILINGS, type Ceilings, hostCeilings } from '@assay/tasks/limits';
import { Module, type DynamicModule } from '@nestjs/common';
import { StoredModelImages } from './admission/stored-model-images.js';
import { ArtifactCache } from './gateway/artifact-cache.js';
import { LeasedRuns } from './gateway/leased-runs.js';
import { ServiceClient } from './gateway/service-client.js';
import { LiveRequests } from './host/live-requests.js';
import { ModelHost } from './host/model-host.js';
import { HostMaintenance } from './host/host-maintenance.js';
import { PresenceReports } from './host/presence-reports.js';
import { Registration } from './host/registration.js';
import { EvaluatorSettings } from './host/evaluator-settings.js';
import { SandboxMetrics } from './host/sandbox-metrics.js';
import { runWork } from './run/run-work.js';
import type { ModelImages } from './run/session/model-images.js';
import { DeploymentHost } from './serving/deployment-host.js';

/** Seconds without an answer after which the service counts as unreachable. */
const ANSWER_SECONDS = 60;
const INSTANCE = Symbol('the name of this evaluator on its host');
const MODEL_IMAGES = Symbol('ModelImages');

/** The evaluator process of a host: leases runs and target models from the service, and drives sandboxes. */
@Module({})
export class EvaluatorModule {
  static forRoot(settings: EvaluatorSettings): DynamicModule {
    /** Temporary files of runs. Emptied when the evaluator starts. */
    const workFolder = (instance: string) => join(settings.home, 'work', instance);
    return {
      module: EvaluatorModule,
      providers: [
        { provide: EvaluatorSettings, useValue: settings },
        LiveRequests,
        { provide: ServiceClient, useValue: new ServiceClient(settings.url, settings.token) },
        Metrics,
        { provide: SandboxMetrics, inject: [Metrics], useFactory: (metrics: Metrics) => new SandboxMetrics(metrics) },
        {
          provide: PresenceReports,
          inject: [ServiceClient],
          useFactory: (client: ServiceClient) => new PresenceReports(client, settings.runConcurrency),
        },
        {
          provide: Registration,
          inject: [ServiceClient, PresenceReports],
          useFactory: (client: ServiceClient, reports: PresenceReports) => new Registration(client, reports),
        },
        {
          provide: INSTANCE,
          inject: [Registration],
          useFactory: (registration: Registration) => registration.instance(),
        },
        {
          provide: Tracing,
          inject: [INSTANCE],
          useFactory: (instance: string) =>
            Tracing.start({ service: 'assay-evaluator', instance, ...settings.tracing }),
        },
        {
          provide: MetricsServer,
          inject: [Metrics, ServiceClient, ModelHost],
          useFactory: (metrics: Metrics, client: ServiceClient, host: ModelHost) => {
            const docker = async () => void (await host.probe());
            const probes = { service: () => client.expectAnswer(ANSWER_SECONDS), docker };
            return new MetricsServer(metrics, () => healthParts(probes), settings.metrics);
          },
        },
        {
          provide: CEILINGS,
          useFactory: async () => {
            await mkdir(settings.home, { recursive: true });
            return hostCeilings(settings.ceilings, settings.home);
          },
        },
        {
          provide: ModelHost,
          inject: [INSTANCE, Registration, SandboxMetrics],
          useFactory: (instance: string, registration: Registration, metrics: SandboxMetrics) => {
            const { dockerHost, engineSeconds, lockScope } = settings;
            const own = { instance, dockerHost, engineSeconds, lockScope, workFolder: workFolder(instance) };
            return ModelHost.start(own, registration, metrics);
          },
        },
        {
          provide: ArtifactCache,
          // the host excludes another process of the same name
          inject: [ModelHost],
          useFactory: ({ instance }: ModelHost) => ArtifactCache.open(join(settings.home, 'artifacts', instance)),
        },
        {
          provide: MODEL_IMAGES,
          inject: [ModelHost],
          useFactory: ({ driver, runner, instance }: ModelHost) =>
            new StoredModelImages({ driver, runner, workFolder: workFolder(instance) }),
        },
        {
          provide: LeasedRuns,
          inject: [ServiceClient, ArtifactCache, ModelHost, MODEL_IMAGES, LiveRequests, Metrics, CEILINGS],
          useFactory: (
            client: ServiceClient,
            artifacts: ArtifactCache,
            host: ModelHost,
            images: ModelImages,
            liveRequests: LiveRequests,
            metrics: Metrics,
            ceilings: Ceilings,
          ) => {
            const { driver, runner, locks } = host;
            const own = { driver, runner, locks, workFolder: workFolder(host.instance) };
            const runs = new LeasedRuns({
              client,
              artifacts,
              ceilings,
              work: runWork({ ...own, measuring: settings.measuring, images, liveRequests }),
              workFolder: own.workFolder,
              capacity: { cpus: settings.runConcurrency, memoryBytes: totalmem() },
              expectAble: () => host.probe(),
              onClaimEnded: (...ended) => claims.claimEnded(...ended),
            });
            const claims = new ClaimMetrics(metrics, runs);
            return runs;
          },
        },
        {
          provide: DeploymentHost,
          inject: [ServiceClient, ArtifactCache, ModelHost, MODEL_IMAGES, LiveRequests, CEILINGS],
          useFactory: (
            client: ServiceClient,
            artifacts: ArtifactCache,
            host: ModelHost,
            images: ModelImages,
            liveRequests: LiveRequests,
            ceilings: Ceilings,
          ) =>
            new DeploymentHost({
              client,
              artifacts,
              ceilings,
              driver: host.driver,
              locks: host.locks,
              images,
              liveRequests,
              settings: settings.deployments,
              expectAble: () => host.probe(),
            }),
        },
        HostMaintenance,
      ],
    };
  }
}
