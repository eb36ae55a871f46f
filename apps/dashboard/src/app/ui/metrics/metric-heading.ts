import { Component, computed, input } from '@angular/core';
import { metricReading } from './metric-reading.js';
import { Term } from '../terms/term.js';
import { unitName } from '../terms/terms.js';

/** The header of a metric's column: name with explanation, unit, and direction. */
@Component({
  selector: 'app-metric-heading',
  imports: [Term],
  template: `
    <app-term [name]="name()" />
    <span class="unit">{{ unit() }}</span>
    <span aria-hidden="true">{{ reading().isLowerBetter ? '↓' : '↑' }}</span>
    <span class="visually-hidden">
      @if (reading().isLowerBetter) {
        <ng-container i18n>less is better</ng-container>
      } @else {
        <ng-container i18n>more is better</ng-container>
      }
    </span>
  `,
  styles: `
    :host {
      display: inline-flex;
      gap: 4px;
      align-items: baseline;
      white-space: nowrap;
    }
  `,
})
export class MetricHeading {
  readonly name = input.required<string>();
  /** The performance metric of the task. Slice metrics take its unit and direction. */
  readonly performance = input<string>();

  protected readonly reading = computed(() => metricReading(this.name(), this.performance()));
  protected readonly unit = computed(() => unitName(this.reading().unit));
}
