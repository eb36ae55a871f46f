import { Module } from '@nestjs/common';
import { NotificationsService } from './notifications.service.js';
import { WebhookDeliveriesService, WebhooksService } from './webhooks/index.js';

const SERVICES = [NotificationsService, WebhookDeliveriesService, WebhooksService];

/**
 * Provides notifications and webhooks. The app provides `WebhookSecrets` and `WebhookTargets`
 * globally.
 */
@Module({
  providers: SERVICES,
  exports: SERVICES,
})
export class NotificationsModule {}
