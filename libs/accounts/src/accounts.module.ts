import { Module } from '@nestjs/common';
import { MailConfirmationsService } from './mail-confirmations.service.js';
import { ProfilesService } from './profiles.service.js';
import { UsersService } from './users.service.js';

const SERVICES = [MailConfirmationsService, ProfilesService, UsersService];

/** Provides profiles, mail confirmations and the administration of users. */
@Module({
  providers: SERVICES,
  exports: SERVICES,
})
export class AccountsModule {}
