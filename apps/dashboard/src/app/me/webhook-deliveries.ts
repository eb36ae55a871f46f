import { Component, inject, input, output } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { type Webhook, type WebhookDelivery, webhooksRedeliver } from '@assay/api-client/angular';
import { Action, ActionProblem, Numbers, When } from '../ui/index.js';
import { kindWords, STATE_WORDS } from './webhook-words.js';

/** The deliveries of a webhook, with the responses of its endpoint. */
@Component({
  selector: 'app-webhook-deliveries',
  imports: [ActionProblem, MatButton, When],
  templateUrl: './webhook-deliveries.html',
  styles: `
    pre {
      max-width: 480px;
      margin: 4px 0;
      white-space: pre-wrap;
      overflow-wrap: anywhere;
    }
  `,
})
export class WebhookDeliveries {
  readonly webhook = input.required<Webhook>();
  readonly deliveries = input.required<readonly WebhookDelivery[]>();
  /** Emits when the shown list is out of date. */
  readonly outdated = output();

  protected readonly numbers = inject(Numbers);
  protected readonly action = new Action();
  protected readonly kindWords = kindWords;
  protected readonly stateWords = STATE_WORDS;

  protected label(): string {
    return $localize`What was sent to ${this.webhook().url}:url:`;
  }

  protected async sendAgain({ id: delivery }: WebhookDelivery): Promise<void> {
    const path = { id: this.webhook().id, delivery };
    await this.action.run(() => webhooksRedeliver({ path }));
    this.outdated.emit();
  }
}
