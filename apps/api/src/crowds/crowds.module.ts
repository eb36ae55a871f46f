import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CrowdLinks, CrowdSessions, CrowdSigner } from '@assay/collection';
import { CredentialsService } from '@assay/identity';
import { keptSecret } from '@assay/storage';
import { Module } from '@nestjs/common';
import { Environment } from '../environment.js';

/**
 * Provides the services for crowd workers, who come through a link. Separate from their routes,
 * because the guards need these services to identify callers.
 */
@Module({
  providers: [
    CrowdLinks,
    CrowdSessions,
    CredentialsService,
    {
      provide: CrowdSigner,
      inject: [Environment],
      useFactory: async (environment: Environment) => {
        const path = join(environment.home, 'crowd-link-key');
        return new CrowdSigner(Buffer.from(await keptSecret(path, () => randomBytes(32).toString('hex')), 'hex'));
      },
    },
  ],
  exports: [CrowdLinks, CrowdSessions],
})
export class CrowdsModule {}
