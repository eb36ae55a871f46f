import { Component, inject, signal } from '@angular/core';
import { NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import {
  MAT_DIALOG_DATA,
  MatDialogActions,
  MatDialogClose,
  MatDialogContent,
  MatDialogRef,
  MatDialogTitle,
} from '@angular/material/dialog';
import { MatError, MatFormField, MatHint, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { savedboardsFork, savedboardsSnapshot } from '@assay/api-client/angular';
import { problemOf } from '../session/problem.js';
import type { BoardQuery } from './board/board-query.js';

interface SaveBoard {
  readonly kind: 'fork' | 'snapshot';
  readonly slug: string;
  readonly query: BoardQuery;
}

/** Saves weights (fork) or freezes a board (snapshot) under a name. Closes with true once saved. */
@Component({
  selector: 'app-save-board-dialog',
  imports: [
    MatButton,
    MatDialogActions,
    MatDialogClose,
    MatDialogContent,
    MatDialogTitle,
    MatError,
    MatFormField,
    MatHint,
    MatInput,
    MatLabel,
    ReactiveFormsModule,
  ],
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
        <p role="alert" class="problem">{{ problem() }}</p>
      </mat-dialog-content>
      <mat-dialog-actions>
        <button matButton type="button" mat-dialog-close i18n>Cancel</button>
        <button matButton="filled" type="submit" i18n>Keep</button>
      </mat-dialog-actions>
    </form>
  `,
  styles: `
    .problem {
      color: var(--bad);
    }

    .problem:empty {
      display: none;
    }
  `,
})
export class SaveBoardDialog {
  protected readonly data = inject<SaveBoard>(MAT_DIALOG_DATA);
  private readonly dialog = inject<MatDialogRef<SaveBoardDialog, boolean>>(MatDialogRef);
  protected readonly form = inject(NonNullableFormBuilder).group({
    name: ['', [Validators.required, Validators.pattern(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)]],
    description: [''],
  });
  protected readonly problem = signal('');

  protected async save(): Promise<void> {
    this.form.markAllAsTouched();
    if (this.form.invalid) return;
    const { slug, query } = this.data;
    const { weights, datasets, amrs, ownRounds, asOf } = query;
    const body = {
      ...this.form.getRawValue(),
      ...{ weights: { ...weights }, datasets: { ...datasets }, amrs },
      ...(ownRounds && { ownRounds }),
    };
    try {
      if (this.data.kind === 'fork') await savedboardsFork({ path: { slug }, body });
      else await savedboardsSnapshot({ path: { slug }, body: { ...body, ...(asOf && { asOf }) } });
      this.dialog.close(true);
    } catch (error) {
      this.problem.set(problemOf(error).detail);
    }
  }
}
