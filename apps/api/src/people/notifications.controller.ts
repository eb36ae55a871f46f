import {
  ChangeNotificationSettings,
  NotificationList,
  NotificationSettingsView,
  ReadNotifications,
} from '@assay/contracts/people';
import { QueryFlag } from '@assay/contracts/text';
import { NotificationsService } from '@assay/notifications';
import { Body, Controller, Get, HttpCode, HttpStatus, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Access, ApiQueries, CurrentUser, paged, type Principal } from '../routes.js';
import { Environment } from '../environment.js';

const WhichNotifications = z.strictObject({
  unread: QueryFlag.optional().describe('true: those that you have not read; false: the others'),
  ...paged,
});

@ApiTags('people')
@Controller('me')
export class NotificationsController {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly environment: Environment,
  ) {}

  /**
   * Returns your notifications, newest first. They are about your models, your examples and the
   * tasks in which you take part.
   */
  @Get('notifications')
  @ApiQueries(WhichNotifications)
  @ApiOkResponse({ standardSchema: NotificationList })
  async list(
    @CurrentUser() principal: Principal,
    @Query({ schema: WhichNotifications }) which: z.infer<typeof WhichNotifications>,
  ): Promise<NotificationList> {
    return this.notifications.list(principal.userId, which);
  }

  /** Marks some or all of your notifications as read. */
  @Post('notifications/read')
  @Access({ unverified: true })
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async read(
    @CurrentUser() principal: Principal,
    @Body({ schema: ReadNotifications }) which: ReadNotifications,
  ): Promise<void> {
    await this.notifications.read(principal.userId, which);
  }

  /**
   * Returns your notification settings. They state which kinds you receive in the dashboard and by
   * mail.
   */
  @Get('notification-settings')
  @ApiOkResponse({ standardSchema: NotificationSettingsView })
  async settings(@CurrentUser() principal: Principal): Promise<NotificationSettingsView> {
    return { kinds: await this.notifications.settings(principal.userId), mails: this.environment.mails };
  }

  /** Turns kinds of notifications on or off, in the dashboard and by mail. */
  @Patch('notification-settings')
  @Access({ unverified: true })
  @ApiOkResponse({ standardSchema: NotificationSettingsView })
  async change(
    @CurrentUser() principal: Principal,
    @Body({ schema: ChangeNotificationSettings }) body: ChangeNotificationSettings,
  ): Promise<NotificationSettingsView> {
    await this.notifications.changeSettings(principal.userId, body);
    return this.settings(principal);
  }
}
