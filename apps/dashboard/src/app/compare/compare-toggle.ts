import { Component, computed, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Icon } from '../ui/index.js';
import { CompareTray, type TrayModel } from './compare-tray.js';

/** A button that adds a model to the comparison or removes it. */
@Component({
  selector: 'app-compare-toggle',
  imports: [Icon, MatButton],
  template: `
    <button
      matButton="outlined"
      type="button"
      [attr.aria-pressed]="isIn()"
      [disabled]="!isIn() && tray.isFull()"
      (click)="tray.toggle(model())"
    >
      <app-icon [name]="isIn() ? 'check' : 'compare_arrows'" />
      @if (isIn()) {
        <ng-container i18n>In the comparison</ng-container>
      } @else {
        <ng-container i18n>Add to compare</ng-container>
      }
    </button>
  `,
  styles: `
    app-icon {
      margin-inline-end: 6px;
    }
  `,
})
export class CompareToggle {
  readonly model = input.required<TrayModel>();

  protected readonly tray = inject(CompareTray);
  protected readonly isIn = computed(() => this.tray.has(this.model().id));
}
