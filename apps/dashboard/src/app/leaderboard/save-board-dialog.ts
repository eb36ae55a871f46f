import { Component, inject } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MAT_DIALOG_DATA, MatDialogRef } from '@angular/material/dialog';
import { savedboardsFork, savedboardsSnapshot } from '@assay/api-client/angular';
import { DIALOG } from '../ui/dialogs/dialog.js';
import type { BoardQuery } from './board/board-query.js';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Action } from '../ui/index.js';

interface SaveBoard {
  readonly kind: 'fork' | 'snapshot';
  readonly slug: string;
  readonly query: BoardQuery;
}

/** Saves weights (fork) or freezes a board (snapshot) under a name. Closes with true once saved. */
@Component({
  selector: 'app-save-board-dialog',
  imports: [DIALOG, FORM_FIELD, ReactiveFormsModule],
  template: `
    <h2 mat-dialog-title>
      @if (data.kind === 'fork') {
        <ng-container i18n>Keep these weights</ng-container>
      } @else {
        <ng-container i18n>Freeze this board</ng-container>
      }
    </h2>
    <form [formGroup]="form" (ngSubmit)="save()">
      <mat-dialog-content class="stack">
        <p>
          @if (data.kind === 'fork') {
            <ng-container i18n>Everybody can rank by them under this name; the board stays that of now.</ng-container>
          } @else {
            <ng-container i18n>It gets an address of its own, at which it never changes.</ng-container>
          }
        </p>
        <mat-form-field appearance="outline">
          <mat-label i18n>Name</mat-label>
          <input matInput formControlName="name" required />
          <mat-hint i18n>Small letters, digits and hyphens.</mat-hint>
          <mat-error i18n>Small letters, digits and hyphens; a letter or digit at both ends.</mat-error>
        </mat-form-field>
        <mat-form-field appearance="outline">
          <mat-label i18n>What it is for</mat-label>
          <textarea matInput formControlName="description" rows="2"></textarea>
        </mat-form-field>
        <p role="alert" class="problem">{{ action.problem()?.detail }}</p>
      </mat-dialog-content>
      <mat-dialog-actions>
        <button matButton type="button" mat-dialog-close i18n>Cancel</button>
        <button matButton="filled" type="submit" i18n>Keep</button>
      </mat-dialog-actions>
    </form>
  `,
})
export class SaveBoardDialog {
  protected readonly data = inject<SaveBoard>(MAT_DIALOG_DATA);
  private readonly dialog = inject<MatDialogRef<SaveBoardDialog, boolean>>(MatDialogRef);
  protected readonly form = inject(NonNullableFormBuilder).group({
    name: ['', [Validators.required, Validators.pattern(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)]],
    description: [''],
  });
  protected readonly action = new Action();

  protected async save(): Promise<void> {
    this.form.markAllAsTouched();
    if (this.form.invalid) return;
    const { kind, slug, query } = this.data;
    const { weights, datasets, amrs, ownRounds, asOf } = query;
    const body = {
      ...this.form.getRawValue(),
      ...{ weights: { ...weights }, datasets: { ...datasets }, amrs },
      ...(ownRounds && { ownRounds }),
    };
    await this.action.run(async () => {
      if (kind === 'fork') await savedboardsFork({ path: { slug }, body });
      else await savedboardsSnapshot({ path: { slug }, body: { ...body, ...(asOf && { asOf }) } });
      this.dialog.close(true);
    });
  }
}
