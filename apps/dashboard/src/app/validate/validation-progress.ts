import { Component, effect, inject, input } from '@angular/core';
import { roundsGetResource } from '@assay/api-client/angular';
import { Numbers } from '../ui/index.js';

/** The validation progress of a round, with the number of verdicts given in this session. */
@Component({
  selector: 'app-validation-progress',
  template: `
    @if (round.hasValue()) {
      <section class="panel" aria-labelledby="of-round">
        <h2 id="of-round" i18n>Round {{ number() }}</h2>
        <p i18n>{{ numbers.count(round.value().counts.validated) }} validated</p>
        <p i18n>{{ numbers.count(round.value().counts.pending) }} awaiting consensus</p>
      </section>
    }
    <section class="panel" aria-labelledby="yours">
      <h2 id="yours" i18n>You</h2>
      <p i18n>{{ numbers.count(given()) }} in this session</p>
    </section>
  `,
  styles: `
    :host {
      display: grid;
      gap: 12px;
      align-content: start;
    }

    section {
      display: grid;
      gap: 4px;
    }

    h2 {
      font-size: var(--size-2);
      line-height: 20px;
    }
  `,
})
export class ValidationProgress {
  readonly slug = input.required<string>();
  readonly number = input.required<number>();
  /** The number of verdicts since the page was opened. Each one reloads the figures. */
  readonly given = input(0);

  protected readonly numbers = inject(Numbers);
  protected readonly round = roundsGetResource(() => ({ path: { slug: this.slug(), number: String(this.number()) } }));

  constructor() {
    effect(() => {
      if (this.given() > 0) this.round.reload();
    });
  }
}
