import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CrowdSigner } from '@assay/collection/crowds';
import { Pseudonyms } from '@assay/collection/people';
import { WebhookSecrets, WebhookTargets } from '@assay/notifications/webhooks';
import { Metrics, Tracing } from '@assay/observability';
import { Notifications } from '@assay/persistence/outbox';
import { BLOB_STORE, LocalBlobStore, storedKey } from '@assay/storage';
import { VERIFIED_SUBMITTERS } from '@assay/submissions';
import { USER_STORAGE } from '@assay/submissions/artifacts';
import { CEILINGS, hostCeilings } from '@assay/tasks/limits';
import { Global, Module, type InjectionToken, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { Environment } from './environment.js';

const provided = (provide: InjectionToken, useFactory: (environment: Environment) => unknown): Provider => ({
  provide,
  inject: [Environment],
  useFactory,
});

const PROVIDERS: Provider[] = [
  Environment,
  Metrics,
  provided(Tracing, ({ tracing }) => Tracing.start({ service: 'assay-api', ...tracing })),
  // creates the folder if it is missing; from then on, a missing folder is an error
  provided(BLOB_STORE, ({ home }) => LocalBlobStore.open(join(home, 'blobs'))),
  provided(USER_STORAGE, ({ userStorage }) => userStorage),
  provided(VERIFIED_SUBMITTERS, ({ verifiedSubmitters }) => verifiedSubmitters),
  provided(CEILINGS, async ({ home, ceilings }) => {
    await mkdir(home, { recursive: true });
    return hostCeilings(ceilings, home);
  }),
  provided(
    Notifications,
    ({ databaseUrl }) => new Notifications({ url: databaseUrl, applicationName: 'assay-api-listener' }),
  ),
  provided(CrowdSigner, async ({ home }) => new CrowdSigner(await storedKey(join(home, 'crowd-link-key')))),
  provided(WebhookSecrets, ({ home }) => WebhookSecrets.stored(home)),
  provided(WebhookTargets, ({ webhooks }) => new WebhookTargets(webhooks)),
  provided(Pseudonyms, async ({ home }) => new Pseudonyms(await storedKey(join(home, 'pseudonym-key')))),
];

/** Provides the settings, connections, stores and keys that the modules of all resources need. */
@Global()
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class FoundationModule implements OnApplicationShutdown {
  constructor(private readonly notifications: Notifications) {}

  async onApplicationShutdown(): Promise<void> {
    await this.notifications.close();
  }
}
