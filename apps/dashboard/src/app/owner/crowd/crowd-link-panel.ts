import { Component, computed, inject, input, output, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import {
  type CrowdLink,
  crowdlinksClose,
  crowdlinksSessionsResource,
  type CrowdSessionRow,
} from '@assay/api-client/angular';
import { Action, ActionProblem, CopyButton, Loaded, Numbers, When } from '../../ui/index.js';

const STATES: Readonly<Record<CrowdSessionRow['state'], string>> = {
  onboarding: $localize`at the test`,
  working: $localize`writing`,
  failed: $localize`did not pass the test`,
  ended: $localize`began another job`,
  finished: $localize`finished`,
};

/** A crowd link with its address, the workers who used it, and the pay that they are due. */
@Component({
  selector: 'app-crowd-link-panel',
  imports: [ActionProblem, CopyButton, Loaded, MatButton, When],
  templateUrl: './crowd-link-panel.html',
  styles: `
    .address {
      max-width: 100%;
      overflow: hidden;
      color: var(--muted);
      text-overflow: ellipsis;
      white-space: nowrap;
    }
  `,
})
export class CrowdLinkPanel {
  readonly slug = input.required<string>();
  readonly number = input.required<number>();
  readonly link = input.required<CrowdLink>();
  readonly closed = output();

  protected readonly numbers = inject(Numbers);
  protected readonly closing = new Action();
  protected readonly isAsked = signal(false);
  protected readonly isShown = signal(false);
  protected readonly states = STATES;
  protected readonly platform = computed(() => (this.link().platform === 'mturk' ? 'Mechanical Turk' : 'Prolific'));
  protected readonly isOver = computed(
    () => this.link().closedAt !== null || Date.parse(this.link().expiresAt) < Date.now(),
  );
  private readonly path = computed(() => ({ slug: this.slug(), number: String(this.number()), id: this.link().id }));
  protected readonly sessions = crowdlinksSessionsResource(() => (this.isShown() ? { path: this.path() } : undefined));

  protected money(amount: number | null): string {
    return amount === null ? '–' : `${amount.toFixed(2)} ${this.link().pay.currency}`;
  }

  protected async close(): Promise<void> {
    await this.closing.run(async () => {
      await crowdlinksClose({ path: this.path() });
      this.closed.emit();
    });
  }
}
