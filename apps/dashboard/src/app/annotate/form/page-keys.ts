import { inject, Injectable } from '@angular/core';
import { MatDialog } from '@angular/material/dialog';
import { firstValueFrom } from 'rxjs';
import { hasSingleKeys, type KeyBinding, keyOf } from '../keys.js';
import { KeysDialog } from './keys-dialog.js';
import { ReasonDialog, type ReasonAsked } from './reason-dialog.js';

/** The keyboard shortcuts of a page, and the dialogs that they open. */
@Injectable()
export class PageKeys {
  private readonly dialogs = inject(MatDialog);

  /** Runs the action that a key is bound to. Does nothing while a dialog is open. */
  press(event: KeyboardEvent, bindings: readonly KeyBinding[]): void {
    if (this.dialogs.openDialogs.length > 0 || event.defaultPrevented) return;
    const name = keyOf(event);
    if (name === null || (name.length === 1 && name !== '?' && !hasSingleKeys(localStorage))) return;
    const bound = bindings.find((binding) => binding.key === name);
    if (!bound?.run) return;
    event.preventDefault();
    bound.run();
  }

  list(bindings: readonly KeyBinding[]): void {
    this.dialogs.open(KeysDialog, { data: bindings, width: '480px' });
  }

  /**
   * Asks for a reason or a confirmation.
   * @returns the reason, empty if none was given; undefined if the dialog was cancelled
   */
  async ask(asked: ReasonAsked): Promise<string | undefined> {
    const dialog = this.dialogs.open<ReasonDialog, ReasonAsked, string>(ReasonDialog, { data: asked, width: '480px' });
    return firstValueFrom(dialog.afterClosed());
  }
}
