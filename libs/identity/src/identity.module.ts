import { Module } from '@nestjs/common';
import { AccountsService } from './accounts.service.js';
import { CredentialsService } from './credentials.service.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { ProviderSignInsService } from './provider-sign-ins.service.js';
import { SessionsService } from './sessions.service.js';

const SERVICES = [AccountsService, CredentialsService, InvitationsService, ProviderSignInsService, SessionsService];

/** Provides accounts, credentials and sessions. */
@Module({
  providers: SERVICES,
  exports: SERVICES,
})
export class IdentityModule {}
