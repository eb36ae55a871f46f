import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ClaimMetrics } from '@assay/evaluation/execution';
import { healthParts, Metrics, MetricsServer, Tracing } from '@assay/observability';
import { CEILINGS, type Ceilings, hostCeilings } from '@assay/tasks';
import { Module, type DynamicModule } from '@nestjs/common';
import { StoredModelImages } from './admission/stored-model-images.js';
import { ArtifactCache } from './gateway/artifact-cache.js';
import { RemoteRuns } from './gateway/remote-runs.js';
import { ServiceClient } from './gateway/service-client.js';
import { ModelHost } from './host/model-host.js';
import { RemoteMaintenance } from './host/remote-maintenance.js';
import { RemoteRegistration } from './host/remote-registration.js';
import { RemoteSettings } from './host/remote-settings.js';
import { SandboxMetrics } from './host/sandbox-metrics.js';
import { runWork } from './run/run-stages.js';

/** Seconds without an answer after which the service counts as unreachable. */
const ANSWER_SECONDS = 60;
const INSTANCE = Symbol('the name of this evaluator on its host');

/** The evaluator process of a host without the database: leases runs from the service, and drives sandboxes. */
@Module({})
export class RemoteEvaluatorModule {
  static forRoot(settings: RemoteSettings): DynamicModule {
    /** Temporary files of runs. Emptied when the evaluator starts. */
    const workFolder = (instance: string) => join(settings.home, 'work', instance);
    return {
      module: RemoteEvaluatorModule,
      providers: [
        { provide: RemoteSettings, useValue: settings },
        { provide: ServiceClient, useValue: new ServiceClient(settings.url, settings.token) },
        Metrics,
        { provide: SandboxMetrics, inject: [Metrics], useFactory: (metrics: Metrics) => new SandboxMetrics(metrics) },
        {
          provide: RemoteRegistration,
          inject: [ServiceClient],
          useFactory: (client: ServiceClient) => new RemoteRegistration(client),
        },
        {
          provide: INSTANCE,
          inject: [RemoteRegistration],
          useFactory: (registration: RemoteRegistration) => registration.instance(),
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
            const probes = { service: () => client.expectAnswer(ANSWER_SECONDS), docker: () => host.probe() };
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
          inject: [INSTANCE, RemoteRegistration, SandboxMetrics],
          useFactory: (instance: string, registration: RemoteRegistration, metrics: SandboxMetrics) => {
            const { dockerHost, engineSeconds } = settings;
            const own = { instance, dockerHost, engineSeconds, workFolder: workFolder(instance) };
            return ModelHost.start(own, [registration], metrics);
          },
        },
        {
          provide: ArtifactCache,
          // the host excludes another process of the same name
          inject: [ModelHost],
          useFactory: ({ instance }: ModelHost) => ArtifactCache.open(join(settings.home, 'artifacts', instance)),
        },
        {
          provide: RemoteRuns,
          inject: [ServiceClient, ArtifactCache, ModelHost, Metrics, CEILINGS],
          useFactory: (
            client: ServiceClient,
            artifacts: ArtifactCache,
            host: ModelHost,
            metrics: Metrics,
            ceilings: Ceilings,
          ) => {
            const { driver, runner } = host;
            const own = { driver, runner, workFolder: workFolder(host.instance) };
            const runs = new RemoteRuns({
              client,
              artifacts,
              ceilings,
              work: runWork({ ...own, measuring: settings.measuring, images: new StoredModelImages(own) }),
              workFolder: own.workFolder,
              concurrency: settings.runConcurrency,
              expectAble: () => host.probe(),
              onClaimEnded: (...ended) => claims.claimEnded(...ended),
            });
            const claims = new ClaimMetrics(metrics, runs);
            return runs;
          },
        },
        RemoteMaintenance,
      ],
    };
  }
}
