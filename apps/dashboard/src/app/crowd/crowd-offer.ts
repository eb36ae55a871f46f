import { Component, computed, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import type { CrowdOffer } from '@assay/api-client/angular';
import { Icon, Markdown } from '../ui/index.js';
import { CrowdJob } from './crowd-job.js';
import { JOB_ADDRESS } from './job-address.js';

/** The offer of a job: the task, the pay and the time. */
@Component({
  selector: 'app-crowd-offer',
  imports: [Icon, Markdown, MatButton],
  template: `
    @if (offer(); as offer) {
      @if (offer.task.description) {
        <app-markdown [text]="offer.task.description" [attr.lang]="offer.task.language" />
      }
      @if (offer.task.contentWarning; as warning) {
        <section class="panel warning" aria-labelledby="warning">
          <h2 id="warning"><app-icon name="warning" /><ng-container i18n>Content warning</ng-container></h2>
          <app-markdown [text]="warning" [attr.lang]="offer.task.language" />
        </section>
      }
      @if (offer.task.instructions) {
        <section aria-labelledby="instructions">
          <h2 id="instructions" i18n>What to do</h2>
          <app-markdown [text]="offer.task.instructions" [attr.lang]="offer.task.language" />
        </section>
      }
      <section aria-labelledby="pay">
        <h2 id="pay" i18n>Pay and time</h2>
        <p class="prose">
          {{ pay() }}
          <ng-container i18n>You can leave at any time, and are paid for what you have written.</ng-container>
        </p>
        @if (offer.hasTest) {
          <p class="prose" i18n>A short test comes first.</p>
        }
      </section>
      @if (isPreview) {
        <p class="panel" i18n>This is a preview. Accept the HIT to begin.</p>
      } @else {
        <div>
          <button matButton="filled" type="button" (click)="job.begin()" [disabled]="job.busy()" i18n>Begin</button>
        </div>
      }
    }
  `,
  styles: `
    section {
      display: grid;
      gap: 8px;
    }

    h2 {
      display: flex;
      gap: 8px;
      align-items: center;
      font-size: var(--size-3);
      line-height: 24px;
    }

    .warning {
      border-inline-start: 3px solid var(--caution);
    }

    .warning app-icon {
      color: var(--caution);
    }
  `,
  host: { class: 'stack' },
})
export class CrowdOfferView {
  protected readonly job = inject(CrowdJob);
  protected readonly isPreview = inject(JOB_ADDRESS).isPreview;
  protected readonly offer = this.job.offer;
  protected readonly pay = computed(() => {
    const offer = this.offer();
    return offer ? payInWords(offer) : '';
  });
}

/** Formats an amount with its currency: 2.00 USD. */
export const money = (amount: number, currency: string): string => `${amount.toFixed(2)} ${currency}`;

/** Returns the pay and the time of a job in a sentence. */
export function payInWords({ pay, examples, hourlyRate }: Pick<CrowdOffer, 'pay' | 'examples' | 'hourlyRate'>): string {
  const [amount, rate] = [money(pay.amount, pay.currency), money(hourlyRate, pay.currency)];
  return examples === 1
    ? $localize`${amount}:amount: for 1 example, about ${pay.minutes}:minutes: minutes (${rate}:rate: an hour).`
    : $localize`${amount}:amount: for ${examples}:examples: examples, about ${pay.minutes}:minutes: minutes (${rate}:rate: an hour).`;
}
