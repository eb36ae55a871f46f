import { inject, Injectable, Injector } from '@angular/core';
import { firstValueFrom } from 'rxjs';
import { Session } from './session.js';

/** Asks somebody whose session has ended to sign in again, once for all requests that fail by it. */
@Injectable({ providedIn: 'root' })
export class SignInAgain {
  private readonly injector = inject(Injector);
  private asked: Promise<boolean> | undefined;

  /** Whether a refusal of this address means that a session has ended, rather than that there is none. */
  isExpected(url: string): boolean {
    return !url.includes('/api/v1/auth/') && !!this.injector.get(Session).user();
  }

  /** Whether they have signed in. */
  ask(): Promise<boolean> {
    return (this.asked ??= this.openDialog().finally(() => (this.asked = undefined)));
  }

  private async openDialog(): Promise<boolean> {
    const [{ MatDialog }, { SignInDialog }] = await Promise.all([
      import('@angular/material/dialog'),
      import('../auth/sign-in-dialog.js'),
    ]);
    const dialog = this.injector.get(MatDialog).open(SignInDialog, { disableClose: true, width: '400px' });
    return (await firstValueFrom(dialog.afterClosed())) === true;
  }
}
