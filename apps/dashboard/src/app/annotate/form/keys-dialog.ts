import { Component, inject, signal } from '@angular/core';
import { MAT_DIALOG_DATA } from '@angular/material/dialog';
import { DIALOG } from '../../ui/dialogs/dialog.js';
import { hasSingleKeys, type KeyBinding, setSingleKeys } from '../keys.js';

/** Lists the keyboard shortcuts of a page and turns single-character keys on or off. */
@Component({
  selector: 'app-keys-dialog',
  imports: [DIALOG],
  template: `
    <h2 mat-dialog-title i18n>Keys</h2>
    <mat-dialog-content>
      <div class="stack">
        <dl>
          @for (binding of bindings; track binding.key) {
            <dt>
              <kbd>{{ binding.key }}</kbd>
            </dt>
            <dd>{{ binding.words }}</dd>
          }
        </dl>
        <p class="muted" i18n>Keys of one letter do nothing while you write: leave the field with <kbd>Escape</kbd>.</p>
        <label>
          <input #single type="checkbox" [checked]="isOn()" (change)="turn(single.checked ? 'on' : 'off')" />
          <ng-container i18n>Keys of one letter or digit work on these pages</ng-container>
        </label>
      </div>
    </mat-dialog-content>
    <mat-dialog-actions>
      <button matButton="filled" type="button" mat-dialog-close cdkFocusInitial i18n>Close</button>
    </mat-dialog-actions>
  `,
  styles: `
    dl {
      display: grid;
      grid-template-columns: max-content minmax(0, 1fr);
      gap: 8px 16px;
    }

    label {
      display: flex;
      gap: 8px;
      align-items: center;
      min-height: 24px;
    }

    input {
      width: 16px;
      height: 16px;
      margin: 0;
      accent-color: var(--accent);
    }
  `,
})
export class KeysDialog {
  protected readonly bindings = inject<readonly KeyBinding[]>(MAT_DIALOG_DATA);
  protected readonly isOn = signal(hasSingleKeys(localStorage));

  protected turn(state: 'on' | 'off'): void {
    setSingleKeys(localStorage, state);
    this.isOn.set(state === 'on');
  }
}
