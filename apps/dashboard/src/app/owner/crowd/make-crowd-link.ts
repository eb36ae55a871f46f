import { Component, computed, inject, input, output, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { crowdlinksMake, type MakeCrowdLink } from '@assay/api-client/angular';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Action, ActionProblem, Numbers } from '../../ui/index.js';
import { NumberField } from '../../ui/fields/number-field.js';
import { Desk } from '../desk.js';
import { isoOf, localOf } from '../rounds/turning-rule.js';

const WEEK = 7 * 86_400_000;

/** Creates a crowd link. Shows first how much a worker is paid per hour. */
@Component({
  selector: 'app-make-crowd-link',
  imports: [ActionProblem, Desk, FORM_FIELD, MatButton, NumberField],
  templateUrl: './make-crowd-link.html',
  styles: `
    .fields {
      display: grid;
      grid-template-columns: repeat(auto-fit, minmax(200px, 1fr));
      gap: 12px;
      align-items: start;
    }
  `,
})
export class MakeCrowdLinkForm {
  readonly slug = input.required<string>();
  readonly number = input.required<number>();
  readonly made = output();
  readonly cancelled = output();

  protected readonly numbers = inject(Numbers);
  protected readonly making = new Action();
  protected readonly platform = signal<MakeCrowdLink['platform']>('prolific');
  protected readonly examples = signal(5);
  protected readonly amount = signal(2.5);
  protected readonly currency = signal('USD');
  protected readonly minutes = signal(10);
  protected readonly completionCode = signal('');
  protected readonly expires = signal(localOf(new Date(Date.now() + WEEK).toISOString()));
  protected readonly hourly = computed(() => (this.minutes() > 0 ? (this.amount() / this.minutes()) * 60 : 0));
  protected readonly each = computed(() => (this.examples() > 0 ? this.amount() / this.examples() : 0));

  protected money(amount: number): string {
    return `${amount.toFixed(2)} ${this.currency()}`;
  }

  protected async make(): Promise<void> {
    const body: MakeCrowdLink = {
      platform: this.platform(),
      examples: this.examples(),
      pay: { amount: this.amount(), currency: this.currency(), minutes: this.minutes() },
      expiresAt: isoOf(this.expires()) ?? '',
      ...(this.platform() === 'prolific' && { completionCode: this.completionCode() }),
    };
    const path = { slug: this.slug(), number: String(this.number()) };
    if (await this.making.run(() => crowdlinksMake({ path, body }))) this.made.emit();
  }
}
