import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountController } from './account.controller.js';
import { AnnotatorsController } from './annotators.controller.js';
import { ConsentController } from './consent.controller.js';
import { NotificationsController } from './notifications.controller.js';
import { OwnExamplesController } from './own-examples.controller.js';
import { ProfilesController } from './profiles.controller.js';
import { WebhooksController } from './webhooks.controller.js';

/**
 * Provides the consents, profiles, badges, notifications, webhooks and accounts of the people who
 * take part in collecting examples.
 */
@Module({
  imports: [AuthModule],
  controllers: [
    ConsentController,
    ProfilesController,
    OwnExamplesController,
    AnnotatorsController,
    NotificationsController,
    WebhooksController,
    AccountController,
  ],
})
export class PeopleModule {}
