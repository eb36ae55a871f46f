import { ProfilesService } from '@assay/accounts';
import { DeleteAccount, ExportAccount, ShowPublicProfile } from '@assay/application';
import { AnnotatorBoardService, BadgesService, ConsentsService, OwnExamplesService } from '@assay/collection';
import {
  NotificationsService,
  WebhookDeliveriesService,
  WebhookSecrets,
  WebhooksService,
  WebhookTargets,
} from '@assay/notifications';
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { Environment } from '../environment.js';
import { TasksModule } from '../tasks/tasks.module.js';
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
  imports: [AuthModule, TasksModule],
  controllers: [
    ConsentController,
    ProfilesController,
    OwnExamplesController,
    AnnotatorsController,
    NotificationsController,
    WebhooksController,
    AccountController,
  ],
  providers: [
    ConsentsService,
    ProfilesService,
    ShowPublicProfile,
    BadgesService,
    OwnExamplesService,
    AnnotatorBoardService,
    NotificationsService,
    ExportAccount,
    DeleteAccount,
    WebhooksService,
    WebhookDeliveriesService,
    {
      provide: WebhookSecrets,
      inject: [Environment],
      useFactory: ({ home }: Environment) => WebhookSecrets.kept(home),
    },
    {
      provide: WebhookTargets,
      inject: [Environment],
      useFactory: ({ webhooks }: Environment) => new WebhookTargets(webhooks),
    },
  ],
  exports: [ConsentsService],
})
export class PeopleModule {}
