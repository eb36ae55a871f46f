import {
  ChangeWebhook,
  MakeWebhook,
  WebhookDeliveryList,
  WebhookDeliveryView,
  WebhookList,
  WebhookMade,
  WebhookView,
} from '@assay/contracts/webhooks';
import { WebhookDeliveriesService, WebhooksService } from '@assay/notifications/webhooks';
import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { ApiQueries, CurrentUser, Id, type Principal } from '../routes.js';

const WhichDeliveries = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('items on a page'),
  cursor: z.guid().optional().describe('nextCursor of the page before'),
});

@ApiTags('people')
@Controller('me/webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  /** Returns your webhooks. */
  @Get()
  @ApiOkResponse({ standardSchema: WebhookList })
  async list(@CurrentUser() principal: Principal): Promise<WebhookList> {
    return { items: await this.webhooks.list(principal.userId) };
  }

  /**
   * Creates a webhook. From now on, events are posted to its URL, signed as in Standard Webhooks.
   * The response contains its secret, which is shown only once.
   */
  @Post()
  @ApiCreatedResponse({ standardSchema: WebhookMade })
  async make(
    @CurrentUser() principal: Principal,
    @Body({ schema: MakeWebhook }) body: MakeWebhook,
  ): Promise<WebhookMade> {
    return this.webhooks.make(principal, body);
  }

  /** Changes the URL or the kinds of events of a webhook, or turns it on or off. */
  @Patch(':id')
  @ApiOkResponse({ standardSchema: WebhookView })
  async change(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: ChangeWebhook }) body: ChangeWebhook,
  ): Promise<WebhookView> {
    return this.webhooks.change(principal, id, body);
  }

  /**
   * Replaces the secret of a webhook. The response contains the new secret, which is shown only
   * once. Events that are sent within a day are signed with both secrets.
   */
  @Post(':id/secret')
  @ApiCreatedResponse({ standardSchema: WebhookMade })
  async renewSecret(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
  ): Promise<WebhookMade> {
    return this.webhooks.renewSecret(principal, id);
  }

  /** Deletes a webhook and its deliveries. */
  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async remove(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<void> {
    await this.webhooks.remove(principal, id);
  }

  /** Sends an event without content to a webhook, as a test. */
  @Post(':id/ping')
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiAcceptedResponse({ standardSchema: WebhookDeliveryView })
  async ping(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
  ): Promise<WebhookDeliveryView> {
    return this.deliveries.ping(principal.userId, id);
  }

  /** Returns the deliveries of a webhook with the responses, newest first. */
  @Get(':id/deliveries')
  @ApiQueries(WhichDeliveries)
  @ApiOkResponse({ standardSchema: WebhookDeliveryList })
  async sent(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: WhichDeliveries }) which: z.infer<typeof WhichDeliveries>,
  ): Promise<WebhookDeliveryList> {
    return this.deliveries.list(principal.userId, id, which);
  }

  /** Sends a delivery again, with the same ID. */
  @Post(':id/deliveries/:delivery/redeliver')
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiAcceptedResponse({ standardSchema: WebhookDeliveryView })
  async redeliver(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Param('delivery', { schema: Id }) delivery: string,
  ): Promise<WebhookDeliveryView> {
    return this.deliveries.redeliver(principal.userId, id, delivery);
  }
}
