import type { WebhookDeliveryList, WebhookDeliveryView, WebhookMade } from '@assay/contracts/webhooks';
import { isSigned, type Received, WebhookReceiver } from '../../../factories/services/webhook-receiver.js';
import { found, type SoakOperation } from './operations.js';
import type { SoakedService } from './soaked-service.js';

/** The timeout in milliseconds. */
const PATIENCE = 60_000;

/** A webhook endpoint of the user ada that receives the events of her models. */
export class SoakListener {
  private constructor(
    private readonly soak: SoakedService,
    private readonly receiver: WebhookReceiver,
    private readonly webhook: string,
    private readonly secret: string,
  ) {}

  static async open(soak: SoakedService): Promise<SoakListener> {
    const receiver = new WebhookReceiver();
    const body = { url: await receiver.open(), kinds: ['model.finished', 'model.failed'] };
    const made = await soak.world.expect(201, 'POST', '/me/webhooks', { token: await soak.world.user('ada'), body });
    const { id, secret } = made.body as WebhookMade;
    return new SoakListener(soak, receiver, id, secret);
  }

  get operations(): readonly SoakOperation[] {
    return [{ kind: 'webhook tried', people: 1, pace: 10_000, act: () => this.ping() }];
  }

  /** Waits until the endpoint has received a correctly signed message about the model. */
  async told(model: string): Promise<void> {
    await this.message(`the word of model ${model}`, ({ body }) => body.includes(model));
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private async ping(): Promise<void> {
    const { world } = this.soak;
    const token = await world.user('ada');
    const asked = await world.expect(202, 'POST', `/me/webhooks/${this.webhook}/ping`, { token });
    const { id } = asked.body as WebhookDeliveryView;
    await this.message(`message ${id}`, ({ headers }) => headers['webhook-id'] === id);
    await found(`that message ${id} counts as delivered`, PATIENCE, async () => {
      const sent = await world.expect(200, 'GET', `/me/webhooks/${this.webhook}/deliveries`, { token });
      const { items } = sent.body as WebhookDeliveryList;
      return items.find((each) => each.id === id && each.state === 'delivered');
    });
  }

  private async message(what: string, isIt: (message: Received) => boolean): Promise<void> {
    const message = await found(what, PATIENCE, () => this.receiver.received.find(isIt));
    if (!isSigned(message, this.secret)) throw new Error(`${what} is not signed as it should be`);
  }
}
