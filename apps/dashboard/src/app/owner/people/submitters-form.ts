import { Component, computed, inject, linkedSignal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatCheckbox } from '@angular/material/checkbox';
import { submittersListResource, submittersReplace } from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Action, ActionProblem, Loaded } from '../../ui/index.js';
import { Desk } from '../desk.js';

/** Sets who may submit to the task: everyone, or the users on a list. */
@Component({
  selector: 'app-submitters-form',
  imports: [ActionProblem, Desk, FORM_FIELD, Loaded, MatButton, MatCheckbox],
  template: `
    <app-desk *appLoaded="submitters; skeleton: 2">
      <div class="stack">
        <mat-checkbox [checked]="isLimited()" (change)="isLimited.set($event.checked)" i18n
          >Only people on a list may submit</mat-checkbox
        >
        @if (isLimited()) {
          <mat-form-field subscriptSizing="dynamic">
            <mat-label i18n>User names</mat-label>
            <textarea
              matInput
              rows="6"
              spellcheck="false"
              [value]="text()"
              (input)="text.set($any($event.target).value)"
            ></textarea>
            <mat-hint i18n>One a line, at most 1,000. You always may submit.</mat-hint>
          </mat-form-field>
        }
      </div>
      <aside class="panel stack" i18n-aria-label aria-label="What the list changes">
        <p aria-live="polite">
          @if (!isChanged()) {
            <span class="muted" i18n>Nothing is changed yet.</span>
          } @else if (wanted(); as names) {
            <ng-container i18n
              >{names.length, plural,
                =0 {Nobody but you}
                =1 {1 person, besides you,}
                other {{{ names.length }} people, besides you,}
              }
              may submit from then on. What was submitted stays.</ng-container
            >
          } @else {
            <ng-container i18n>Everyone may submit from then on.</ng-container>
          }
        </p>
        <app-action-problem [of]="saving" />
        <div>
          <button matButton="filled" type="button" [disabled]="!isChanged() || saving.busy()" (click)="save()" i18n>
            Save the list
          </button>
        </div>
      </aside>
    </app-desk>
  `,
})
export class SubmittersForm {
  private readonly context = inject(TaskContext);
  protected readonly submitters = submittersListResource(this.context.path);
  private readonly saved = computed(() => (this.submitters.hasValue() ? this.submitters.value().usernames : null));
  protected readonly isLimited = linkedSignal(() => this.saved() !== null);
  protected readonly text = linkedSignal(() => (this.saved() ?? []).join('\n'));
  /** The names on the list that the form describes. Null: everyone may submit. */
  protected readonly wanted = computed(() => (this.isLimited() ? this.text().split(/\s+/).filter(Boolean) : null));
  protected readonly isChanged = computed(() => this.wanted()?.join('\n') !== this.saved()?.join('\n'));
  protected readonly saving = new Action();

  protected async save(): Promise<void> {
    await this.saving.run(async () => {
      await submittersReplace({ path: { slug: this.context.slug() }, body: { usernames: this.wanted() } });
      this.submitters.reload();
    });
  }
}
