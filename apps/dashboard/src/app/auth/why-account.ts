import { Component, computed, input } from '@angular/core';
import { RouterLink } from '@angular/router';

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

/** The reason why a page needs an account. */
interface AccountReason {
  readonly why: string;
  /** The task, whose public pages need no account. Absent if the page does not belong to a task. */
  readonly task?: string;
}

const REASONS: Readonly<Record<string, string>> = {
  annotate: $localize`To write examples you need an account: they count under your name, and only you can change or retract them.`,
  validate: $localize`To validate examples you need an account: everybody judges an example once, and nobody judges their own.`,
  submit: $localize`To submit a model you need an account: only you can change or withdraw your models, and you are notified when they are scored.`,
  new: $localize`To create a task you need an account: only its owner can change it.`,
};

/** Returns why the page at a dashboard path needs an account. Undefined if that is obvious. */
export function accountReason(address: string | undefined): AccountReason | undefined {
  const path = address?.split(/[?#]/)[0] ?? '';
  if (path === '/submit') return { why: REASONS['submit']! };
  if (path === '/tasks/new') return { why: REASONS['new']! };
  const [, task, page] = /^\/tasks\/([a-z0-9-]+)\/(annotate|validate|submit)$/.exec(path) ?? [];
  return task === undefined || page === undefined ? undefined : { why: REASONS[page]!, task };
}
