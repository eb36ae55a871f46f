import { Component, inject } from '@angular/core';
import { MatDialog } from '@angular/material/dialog';
import { Icon } from '../ui/index.js';

/**
 * Opens the search for tasks, models, people and actions. Shortcuts: Ctrl+K, or `/` outside of a
 * field.
 */
@Component({
  selector: 'app-search-button',
  imports: [Icon],
  template: `
    <button type="button" (click)="open()" aria-haspopup="dialog" aria-keyshortcuts="Control+K">
      <app-icon name="search" />
      <span class="word" i18n>Search</span>
      <kbd aria-hidden="true" i18n>Ctrl K</kbd>
    </button>
  `,
  styles: `
    button {
      display: inline-flex;
      gap: 8px;
      align-items: center;
      height: 32px;
      padding: 0 8px;
      border: 1px solid var(--line-control);
      border-radius: var(--radius);
      background: var(--page);
      color: var(--muted);
      font: inherit;
      cursor: pointer;

      &:hover {
        border-color: var(--accent);
      }
    }

    .word {
      min-width: 96px;
      text-align: start;
    }

    @media (max-width: 720px) {
      kbd {
        display: none;
      }

      .word {
        position: absolute;
        width: 1px;
        height: 1px;
        min-width: 0;
        overflow: hidden;
        clip-path: inset(50%);
      }
    }
  `,
  host: { '(document:keydown)': 'onKey($event)' },
})
export class SearchButton {
  private readonly dialog = inject(MatDialog);
  private isOpen = false;

  protected async open(): Promise<void> {
    if (this.isOpen) return;
    this.isOpen = true;
    const { SearchPalette } = await import('./search-palette.js');
    const palette = this.dialog.open(SearchPalette, {
      width: '600px',
      maxWidth: 'calc(100vw - 16px)',
      position: { top: '64px' },
      ariaLabel: $localize`Search`,
    });
    palette.afterClosed().subscribe(() => (this.isOpen = false));
  }

  protected onKey(event: KeyboardEvent): void {
    const isPalette = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    const isSlash = event.key === '/' && !event.ctrlKey && !event.altKey && !isEditable(event.target);
    if (!isPalette && !isSlash) return;
    event.preventDefault();
    void this.open();
  }
}

const isEditable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
