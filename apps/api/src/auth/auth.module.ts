import { AccountsService, CredentialsService } from '@assay/identity';
import { AdminToken } from '../admin-token.js';
import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuthController } from './auth.controller.js';
import { PrincipalGuard } from './principal.guard.js';

@Module({
  controllers: [AuthController],
  providers: [AccountsService, CredentialsService, AdminToken, { provide: APP_GUARD, useClass: PrincipalGuard }],
  exports: [AccountsService, CredentialsService, AdminToken],
})
export class AuthModule {}
