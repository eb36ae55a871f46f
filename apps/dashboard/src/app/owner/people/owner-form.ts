import { Component, computed, inject, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { tasksGive } from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Action, ActionProblem } from '../../ui/index.js';
import { Desk } from '../desk.js';

/** Shows the owner of the task and transfers the ownership. */
@Component({
  selector: 'app-owner-form',
  imports: [ActionProblem, Desk, FORM_FIELD, MatButton, RouterLink],
  template: `
    <app-desk>
      <div class="stack">
        <p>
          <ng-container i18n>It is owned by</ng-container>&ngsp;<a [routerLink]="['/users', owner()]">{{ owner() }}</a
          >.
        </p>
        <mat-form-field class="name">
          <mat-label i18n>New owner</mat-label>
          <input
            matInput
            autocomplete="off"
            [value]="username()"
            (input)="username.set($any($event.target).value.trim())"
          />
          <mat-hint i18n>The user name.</mat-hint>
        </mat-form-field>
      </div>
      <aside class="panel stack" i18n-aria-label aria-label="What giving it away changes">
        <p aria-live="polite">
          @if (username() === '') {
            <span class="muted" i18n>Nothing is changed yet.</span>
          } @else {
            <ng-container i18n
              >{{ username() }} alone owns the task from then on: you can change nothing more of it, and can't take it
              back.</ng-container
            >
          }
        </p>
        <app-action-problem [of]="giving" />
        <div>
          <button
            matButton="filled"
            type="button"
            [disabled]="username() === '' || giving.busy()"
            (click)="give()"
            i18n
          >
            Give the task away
          </button>
        </div>
      </aside>
    </app-desk>
  `,
  styles: `
    .name {
      max-width: 320px;
    }
  `,
})
export class OwnerForm {
  private readonly context = inject(TaskContext);
  protected readonly owner = computed(() => this.context.loaded()?.owner ?? '');
  protected readonly username = signal('');
  protected readonly giving = new Action();

  protected async give(): Promise<void> {
    await this.giving.run(async () => {
      await tasksGive({ path: { slug: this.context.slug() }, body: { username: this.username() } });
      this.username.set('');
      this.context.task.reload();
    });
  }
}
