import { Component, computed, inject, input, LOCALE_ID } from '@angular/core';

const SECOND = 1000;
const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365.25 * 86_400 * SECOND],
  ['month', 30.44 * 86_400 * SECOND],
  ['week', 7 * 86_400 * SECOND],
  ['day', 86_400 * SECOND],
  ['hour', 3600 * SECOND],
  ['minute', 60 * SECOND],
];

/** Formats a time relative to `now`: `3 hours ago`. Both are in milliseconds since 1970. */
function relativeTime(time: number, now: number, locale: string): string {
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const [unit, length] = STEPS.find(([, each]) => Math.abs(time - now) >= each) ?? ['second', SECOND];
  return words.format(Math.round((time - now) / length), unit);
}

/** A relative time, with the exact time on hover. */
@Component({
  selector: 'app-when',
  template: `<time [attr.datetime]="at()" [title]="exact()">{{ words() }}</time>`,
})
export class When {
  /** The time in ISO 8601. */
  readonly at = input.required<string>();

  private readonly locale = inject(LOCALE_ID);
  protected readonly words = computed(() => relativeTime(Date.parse(this.at()), Date.now(), this.locale));
  protected readonly exact = computed(() =>
    new Intl.DateTimeFormat(this.locale, { dateStyle: 'long', timeStyle: 'long' }).format(new Date(this.at())),
  );
}
