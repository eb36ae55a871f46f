import { Component, input, model, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Icon } from '../layout/icon.js';

/**
 * Accepts a file by drag and drop or by a file dialog. The projected content says what the file is
 * for.
 */
@Component({
  selector: 'app-file-drop',
  imports: [Icon, MatButton],
  template: `
    <div
      class="drop"
      [class.over]="isOver()"
      (dragover)="$event.preventDefault(); isOver.set(true)"
      (dragleave)="isOver.set(false)"
      (drop)="drop($event)"
    >
      <app-icon name="upload" />
      <div>
        @if (file(); as file) {
          <p class="name">{{ file.name }}</p>
        } @else {
          <p><ng-content /></p>
        }
        <button matButton type="button" (click)="chooser.click()">
          @if (file()) {
            <ng-container i18n>Choose another</ng-container>
          } @else {
            <ng-container i18n>Choose a file</ng-container>
          }
        </button>
      </div>
      <input #chooser type="file" hidden [accept]="accept()" [attr.aria-label]="label()" (change)="choose(chooser)" />
    </div>
  `,
  styles: `
    .drop {
      display: flex;
      gap: 16px;
      align-items: center;
      padding: 16px;
      border: 1px dashed var(--line-control);
      border-radius: var(--radius);
      background: var(--surface);
    }

    .over {
      border-color: var(--accent);
      background: var(--accent-soft);
    }

    .name {
      font-weight: 500;
      overflow-wrap: anywhere;
    }

    app-icon {
      color: var(--muted);
      font-size: 20px;
    }
  `,
})
export class FileDrop {
  readonly file = model<File>();
  readonly label = input.required<string>();
  /** The accepted extensions, separated by commas, as in the `accept` attribute. */
  readonly accept = input('');

  protected readonly isOver = signal(false);

  protected drop(event: DragEvent): void {
    event.preventDefault();
    this.isOver.set(false);
    const file = event.dataTransfer?.files[0];
    if (file) this.file.set(file);
  }

  protected choose(chooser: HTMLInputElement): void {
    const file = chooser.files?.[0];
    if (file) this.file.set(file);
    // so that the same file can be chosen again: it may have been corrected
    chooser.value = '';
  }
}
