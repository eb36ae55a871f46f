import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MailConfirmationsService } from '@assay/accounts';
import { AccountsService, CredentialsService, ProviderSignInsService, SessionsService } from '@assay/identity';
import { keptSecret } from '@assay/storage';
import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AdminToken } from '../admin-token.js';
import { CrowdsModule } from '../crowds/crowds.module.js';
import { Environment } from '../environment.js';
import { AuthController } from './auth.controller.js';
import { Callers } from './callers.js';
import { CrowdGuard } from './crowd.guard.js';
import { StrictInputGuard } from '../strict-input.guard.js';
import { RequestLimit } from '../request-limits.js';
import { CredentialGuard, PrincipalGuard } from './principal.guard.js';
import { MailConfirmationController } from './mail-confirmation.controller.js';
import { OpenidProvider } from './openid-provider.js';
import { ProviderController } from './provider.controller.js';
import { DeviceCookie, ProviderCookie, SessionCookie } from './session-cookie.js';
import { SessionStart } from './session-start.js';
import { SessionsController } from './sessions.controller.js';

@Module({
  imports: [CrowdsModule],
  controllers: [AuthController, SessionsController, ProviderController, MailConfirmationController],
  providers: [
    AccountsService,
    CredentialsService,
    SessionsService,
    ProviderSignInsService,
    MailConfirmationsService,
    AdminToken,
    OpenidProvider,
    SessionCookie,
    Callers,
    ProviderCookie,
    {
      provide: DeviceCookie,
      inject: [Environment],
      useFactory: async (environment: Environment) => {
        const path = join(environment.home, 'device-key');
        const key = Buffer.from(await keptSecret(path, () => randomBytes(32).toString('hex')), 'hex');
        return new DeviceCookie(environment, key);
      },
    },
    SessionStart,
    // the order matters: the other guards need the principal that the first one finds
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_GUARD, useClass: RequestLimit },
    { provide: APP_GUARD, useClass: CredentialGuard },
    { provide: APP_GUARD, useClass: CrowdGuard },
    { provide: APP_GUARD, useClass: StrictInputGuard },
  ],
  exports: [AccountsService, CredentialsService, AdminToken, SessionCookie, Callers],
})
export class AuthModule {}
