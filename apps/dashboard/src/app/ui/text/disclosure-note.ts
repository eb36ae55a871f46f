import { Component, input } from '@angular/core';
import { FIGURE_MARKS } from '@assay/scoring/marks';

/** Says whether the scores on hidden data in a view are rounded. Empty if the task does not round any. */
@Component({
  selector: 'app-disclosure-note',
  template: `
    @if (disclosure() === 'rounded') {
      <p class="muted small" i18n>
        {{ mark }} Scores on hidden data are rounded to the precision that their interval supports.
      </p>
    } @else if (disclosure() === 'exact') {
      <p class="muted small" i18n>
        You see exact scores on hidden data, because you own the task. Everybody else sees them rounded.
      </p>
    }
  `,
})
export class DisclosureNote {
  readonly disclosure = input<'exact' | 'rounded'>();

  protected readonly mark = FIGURE_MARKS.rounded.mark;
}
