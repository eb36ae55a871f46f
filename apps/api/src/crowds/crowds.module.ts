import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CrowdLinks, CrowdSessions, CrowdSigner } from '@assay/collection';
import { CredentialsService } from '@assay/identity';
import { keptSecret } from '@assay/storage';
import { Module } from '@nestjs/common';
import { Environment } from '../environment.js';

/** Workers of a platform, who come by a link. Apart from their routes, as who asks is found out by them too. */
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
