import { Component, computed, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { accountReason } from './account-reason.js';

/** Explains why the requested page needs an account, and what is available without one. */
@Component({
  selector: 'app-why-account',
  imports: [RouterLink],
  template: `
    @if (reason(); as reason) {
      <p>{{ reason.why }}</p>
      @if (reason.task; as task) {
        <p class="muted" i18n>
          No account? You can read the <a [routerLink]="['/tasks', task, 'leaderboard']">leaderboard</a>, the
          <a [routerLink]="['/tasks', task, 'rounds']">rounds</a> and the
          <a [routerLink]="['/tasks', task, 'data']">public data</a>.
        </p>
      }
    }
  `,
  styles: `
    :host {
      display: contents;
    }
  `,
})
export class WhyAccount {
  /** The path of the requested page. */
  readonly next = input<string>();

  protected readonly reason = computed(() => accountReason(this.next()));
}
