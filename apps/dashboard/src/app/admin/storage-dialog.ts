import { Component, inject } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MAT_DIALOG_DATA, MatDialogRef } from '@angular/material/dialog';
import { type ChangeUser, type ManagedUser, usersStorageOfResource } from '@assay/api-client/angular';
import { DIALOG } from '../ui/dialogs/dialog.js';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Loaded, Numbers } from '../ui/index.js';

const LIMIT = /^\d+(?:\.\d+)?\s*(?:[KMGT]iB|B)?$/;

/** Shows the storage that a user takes and edits their limit. Closes with the requested change. */
@Component({
  selector: 'app-storage-dialog',
  imports: [DIALOG, FORM_FIELD, Loaded, ReactiveFormsModule],
  template: `
    <h2 mat-dialog-title i18n>Storage of {{ user.username }}</h2>
    <form [formGroup]="form" (ngSubmit)="set()">
      <mat-dialog-content class="stack">
        <p *appLoaded="storage; let use; skeleton: 1">
          <ng-container i18n
            >Models take {{ numbers.bytes(use.artifacts) }}, datasets {{ numbers.bytes(use.datasets) }}, uploads under
            way {{ numbers.bytes(use.uploads) }}.</ng-container
          >&ngsp;
          @if (use.limit === null) {
            <ng-container i18n>An administrator has no limit.</ng-container>
          } @else {
            <ng-container i18n>Together they may take {{ numbers.bytes(use.limit) }}.</ng-container>
          }
        </p>
        <mat-form-field appearance="outline" subscriptSizing="dynamic">
          <mat-label i18n>What they may take</mat-label>
          <input matInput formControlName="limit" autocomplete="off" />
          <mat-hint i18n>Like 20GiB; empty: as much as everybody.</mat-hint>
          <mat-error i18n>A number with a unit, like 500MiB or 20GiB.</mat-error>
        </mat-form-field>
      </mat-dialog-content>
      <mat-dialog-actions>
        <button matButton type="button" mat-dialog-close i18n>Cancel</button>
        <button matButton="filled" type="submit" i18n>Set it</button>
      </mat-dialog-actions>
    </form>
  `,
  styles: `
    mat-form-field {
      width: 100%;
      padding-top: 12px;
    }
  `,
})
export class StorageDialog {
  protected readonly user = inject<ManagedUser>(MAT_DIALOG_DATA);
  protected readonly numbers = inject(Numbers);
  private readonly dialog = inject<MatDialogRef<StorageDialog, ChangeUser>>(MatDialogRef);
  protected readonly storage = usersStorageOfResource(() => ({ path: { id: this.user.id } }));
  protected readonly form = inject(NonNullableFormBuilder).group({
    limit: [this.user.storageLimit === null ? '' : String(this.user.storageLimit), Validators.pattern(LIMIT)],
  });

  protected set(): void {
    if (this.form.invalid) return;
    const limit = this.form.getRawValue().limit.replaceAll(' ', '');
    const storageLimit = limit === '' ? null : /^\d+$/.test(limit) ? Number(limit) : limit;
    this.dialog.close({ storageLimit });
  }
}
