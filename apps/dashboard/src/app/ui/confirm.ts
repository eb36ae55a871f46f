import { inject, Injectable, Injector } from '@angular/core';
import { firstValueFrom } from 'rxjs';

/** What somebody is asked before something happens. */
export interface Question {
  /** A question: `Withdraw the model?` */
  readonly title: string;
  /** What will happen, and what will not. */
  readonly text: string;
  /** A verb: `Withdraw`. */
  readonly action: string;
  /** `bad` for what can't be taken back. */
  readonly tone?: 'usual' | 'bad';
}

/** Asks before something happens; the dialog is read when it is first needed. */
@Injectable({ providedIn: 'root' })
export class Confirm {
  private readonly injector = inject(Injector);

  /** Whether they said yes. */
  async ask(question: Question): Promise<boolean> {
    const [{ MatDialog }, { ConfirmDialog }] = await Promise.all([
      import('@angular/material/dialog'),
      import('./confirm-dialog.js'),
    ]);
    const dialog = this.injector.get(MatDialog).open(ConfirmDialog, { data: question, maxWidth: '480px' });
    return (await firstValueFrom(dialog.afterClosed())) === true;
  }
}
