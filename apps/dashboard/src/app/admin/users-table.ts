import { Component, inject, input, output } from '@angular/core';
import { MatIconButton } from '@angular/material/button';
import { MatDialog } from '@angular/material/dialog';
import { MatMenu, MatMenuItem, MatMenuTrigger } from '@angular/material/menu';
import { RouterLink } from '@angular/router';
import type { ChangeUser, ManagedUser } from '@assay/api-client/angular';
import { firstValueFrom } from 'rxjs';
import { Session } from '../session/session.js';
import { Icon, Numbers, When } from '../ui/index.js';

/** Accounts with the changes that are possible for each. The reader's own account offers none. */
@Component({
  selector: 'app-users-table',
  imports: [Icon, MatIconButton, MatMenu, MatMenuItem, MatMenuTrigger, RouterLink, When],
  templateUrl: './users-table.html',
  styleUrl: './users-table.scss',
})
export class UsersTable {
  readonly users = input.required<readonly ManagedUser[]>();
  readonly isBusy = input.required<boolean>();
  /** A change that was requested but not made yet. */
  readonly changed = output<{ readonly user: ManagedUser; readonly change: ChangeUser }>();

  private readonly dialog = inject(MatDialog);
  protected readonly numbers = inject(Numbers);
  protected readonly session = inject(Session);

  protected async askStorage(user: ManagedUser): Promise<void> {
    const { StorageDialog } = await import('./storage-dialog.js');
    const dialog = this.dialog.open<unknown, ManagedUser, ChangeUser>(StorageDialog, { data: user, width: '440px' });
    const change = await firstValueFrom(dialog.afterClosed());
    if (change) this.changed.emit({ user, change });
  }

  protected changeLabel({ username }: ManagedUser): string {
    return $localize`Change ${username}:user:`;
  }
}
