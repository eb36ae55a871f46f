import { Component, computed, input } from '@angular/core';
import { type IconName, ICONS } from './icons.js';

/** A decorative icon next to a word or in a labelled button. Hidden from screen readers. */
@Component({
  selector: 'app-icon',
  template: `<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path [attr.d]="path()" /></svg>`,
  styles: `
    :host {
      display: inline-flex;
      flex: none;
    }

    svg {
      width: 1.25em;
      height: 1.25em;
      fill: currentcolor;
    }
  `,
})
export class Icon {
  readonly name = input.required<IconName>();

  protected readonly path = computed(() => ICONS[this.name()]);
}
