import { join } from 'node:path';
import { EvaluatorTokens } from '@assay/evaluation/evaluators';
import { storedKey } from '@assay/storage';
import { Module, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AdminToken } from '../access/admin-token.js';
import { StrictInputGuard } from '../access/strict-input.guard.js';
import { Environment } from '../environment.js';
import { RequestLimit } from '../limits/request-limits.js';
import { Callers } from './callers.js';
import { CredentialGuard, PrincipalGuard } from './principal.guard.js';
import { CrowdGuard } from './crowd.guard.js';
import { OpenidProvider } from './openid-provider.js';
import { DeviceCookie, ProviderCookie, SessionCookie } from './session-cookie.js';
import { SessionStart } from './session-start.js';

const PROVIDERS: Provider[] = [
  AdminToken,
  OpenidProvider,
  SessionCookie,
  Callers,
  EvaluatorTokens,
  ProviderCookie,
  {
    provide: DeviceCookie,
    inject: [Environment],
    useFactory: async (environment: Environment) =>
      new DeviceCookie(environment, await storedKey(join(environment.home, 'device-key'))),
  },
  SessionStart,
  RequestLimit,
];

/** Provides the guards of all routes, and what signs callers in. */
@Module({
  providers: [
    ...PROVIDERS,
    // the order matters: the other guards need the principal that the first one finds
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_GUARD, useExisting: RequestLimit },
    { provide: APP_GUARD, useClass: CredentialGuard },
    { provide: APP_GUARD, useClass: CrowdGuard },
    { provide: APP_GUARD, useClass: StrictInputGuard },
  ],
  exports: PROVIDERS,
})
export class AuthModule {}
