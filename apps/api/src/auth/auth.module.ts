import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AdminToken } from '../access/admin-token.js';
import { Environment } from '../environment.js';
import { storedKey } from '../stored-key.js';
import { AuthController } from './auth.controller.js';
import { Callers } from './callers.js';
import { CrowdGuard } from './crowd.guard.js';
import { StrictInputGuard } from '../access/strict-input.guard.js';
import { RequestLimit } from '../limits/request-limits.js';
import { CredentialGuard, PrincipalGuard } from './principal.guard.js';
import { MailConfirmationController } from './mail-confirmation.controller.js';
import { OpenidProvider } from './openid-provider.js';
import { ProviderController } from './provider.controller.js';
import { DeviceCookie, ProviderCookie, SessionCookie } from './session-cookie.js';
import { SessionStart } from './session-start.js';
import { SessionsController } from './sessions.controller.js';

@Module({
  controllers: [AuthController, SessionsController, ProviderController, MailConfirmationController],
  providers: [
    AdminToken,
    OpenidProvider,
    SessionCookie,
    Callers,
    ProviderCookie,
    {
      provide: DeviceCookie,
      inject: [Environment],
      useFactory: async (environment: Environment) =>
        new DeviceCookie(environment, await storedKey(join(environment.home, 'device-key'))),
    },
    SessionStart,
    RequestLimit,
    // the order matters: the other guards need the principal that the first one finds
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_GUARD, useExisting: RequestLimit },
    { provide: APP_GUARD, useClass: CredentialGuard },
    { provide: APP_GUARD, useClass: CrowdGuard },
    { provide: APP_GUARD, useClass: StrictInputGuard },
  ],
  exports: [AdminToken, SessionCookie, Callers, RequestLimit],
})
export class AuthModule {}
