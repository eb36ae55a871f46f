import { inject, Injectable, Injector } from '@angular/core';
import { firstValueFrom } from 'rxjs';
import type { Question } from './confirm-dialog.js';

/** Asks for confirmation. Loads the dialog when it is first needed. */
@Injectable({ providedIn: 'root' })
export class Confirm {
  private readonly injector = inject(Injector);

  /** Resolves to true if the user confirmed. */
  async ask(question: Question): Promise<boolean> {
    const [{ MatDialog }, { ConfirmDialog }] = await Promise.all([
      import('@angular/material/dialog'),
      import('./confirm-dialog.js'),
    ]);
    const dialog = this.injector.get(MatDialog).open(ConfirmDialog, { data: question, maxWidth: '480px' });
    return (await firstValueFrom(dialog.afterClosed())) === true;
  }
}
