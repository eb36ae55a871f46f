import { AccountsService, CredentialsService, SessionsService } from '@assay/identity';
import { AdminToken } from '../admin-token.js';
import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CrowdsModule } from '../crowds/crowds.module.js';
import { AuthController } from './auth.controller.js';
import { CrowdGuard } from './crowd.guard.js';
import { PrincipalGuard } from './principal.guard.js';
import { SessionCookie } from './session-cookie.js';
import { SessionsController } from './sessions.controller.js';

@Module({
  imports: [CrowdsModule],
  controllers: [AuthController, SessionsController],
  providers: [
    AccountsService,
    CredentialsService,
    SessionsService,
    AdminToken,
    SessionCookie,
    // in this order: the one asks whom the other has found
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_GUARD, useClass: CrowdGuard },
  ],
  exports: [AccountsService, CredentialsService, AdminToken, SessionCookie],
})
export class AuthModule {}
