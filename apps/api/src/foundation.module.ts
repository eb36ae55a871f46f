import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CrowdSigner } from '@assay/collection/crowds';
import { Pseudonyms } from '@assay/collection/people';
import { WebhookSecrets, WebhookTargets } from '@assay/notifications/webhooks';
import { Metrics, Tracing } from '@assay/observability';
import { Notifications } from '@assay/persistence/outbox';
import { BLOB_STORE, LocalBlobStore } from '@assay/storage';
import { USER_STORAGE } from '@assay/submissions/artifacts';
import { CEILINGS, hostCeilings } from '@assay/tasks';
import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Environment } from './environment.js';
import { storedKey } from './stored-key.js';

/** Provides the settings, connections, stores and keys that the modules of all resources need. */
@Global()
@Module({
  providers: [
    Environment,
    Metrics,
    {
      provide: Tracing,
      inject: [Environment],
      useFactory: ({ tracing }: Environment) => Tracing.start({ service: 'assay-api', ...tracing }),
    },
    {
      provide: BLOB_STORE,
      inject: [Environment],
      // creates the folder if it is missing; from then on, a missing folder is an error
      useFactory: ({ home }: Environment) => LocalBlobStore.open(join(home, 'blobs')),
    },
    {
      provide: USER_STORAGE,
      inject: [Environment],
      useFactory: ({ userStorage }: Environment) => userStorage,
    },
    {
      provide: CEILINGS,
      inject: [Environment],
      useFactory: async ({ home, ceilings }: Environment) => {
        await mkdir(home, { recursive: true });
        return hostCeilings(ceilings, home);
      },
    },
    {
      provide: Notifications,
      inject: [Environment],
      useFactory: (environment: Environment) =>
        new Notifications({ url: environment.databaseUrl, applicationName: 'assay-api-listener' }),
    },
    {
      provide: CrowdSigner,
      inject: [Environment],
      useFactory: async ({ home }: Environment) => new CrowdSigner(await storedKey(join(home, 'crowd-link-key'))),
    },
    {
      provide: WebhookSecrets,
      inject: [Environment],
      useFactory: ({ home }: Environment) => WebhookSecrets.stored(home),
    },
    {
      provide: WebhookTargets,
      inject: [Environment],
      useFactory: ({ webhooks }: Environment) => new WebhookTargets(webhooks),
    },
    {
      provide: Pseudonyms,
      inject: [Environment],
      useFactory: async ({ home }: Environment) => new Pseudonyms(await storedKey(join(home, 'pseudonym-key'))),
    },
  ],
  exports: [
    Environment,
    Metrics,
    BLOB_STORE,
    USER_STORAGE,
    CEILINGS,
    Notifications,
    CrowdSigner,
    WebhookSecrets,
    WebhookTargets,
    Pseudonyms,
  ],
})
export class FoundationModule implements OnApplicationShutdown {
  constructor(private readonly notifications: Notifications) {}

  async onApplicationShutdown(): Promise<void> {
    await this.notifications.close();
  }
}
