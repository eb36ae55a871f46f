import { Component, computed, inject, linkedSignal, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { TaskContext } from '../../task/task-context.js';
import { Action, ActionProblem } from '../../ui/index.js';
import { NumberField } from '../../ui/fields/number-field.js';
import { Desk } from '../desk.js';

/** Sets the number of models that one user may submit to the task, per day and in total. */
@Component({
  selector: 'app-quota-form',
  imports: [ActionProblem, Desk, MatButton, NumberField],
  template: `
    <app-desk>
      <div class="fields">
        <app-number-field
          i18n-label
          label="Submissions a day"
          [min]="1"
          [value]="perDay()"
          (written)="perDay.set(+$event)"
        />
        <app-number-field
          i18n-label
          label="Submissions in all"
          [min]="1"
          [value]="total()"
          (written)="total.set(+$event)"
        />
      </div>
      <aside class="panel stack" i18n-aria-label aria-label="What the quota changes">
        <p aria-live="polite">
          @if (isChanged()) {
            <ng-container i18n
              >From now on one person may submit {{ perDay() }} a day (of UTC) and {{ total() }} in all. What was
              submitted stays.</ng-container
            >
          } @else if (saved()) {
            <ng-container i18n>It is saved.</ng-container>
          } @else {
            <span class="muted" i18n>Nothing is changed yet.</span>
          }
        </p>
        <app-action-problem [of]="saving" />
        <div>
          <button matButton="filled" type="button" [disabled]="!isChanged() || saving.busy()" (click)="save()" i18n>
            Save the quota
          </button>
        </div>
      </aside>
    </app-desk>
  `,
  styles: `
    .fields {
      display: grid;
      grid-template-columns: repeat(auto-fit, minmax(180px, 1fr));
      gap: 12px;
    }
  `,
})
export class QuotaForm {
  private readonly context = inject(TaskContext);
  private readonly standing = computed(() => this.context.loaded()?.quota ?? { perDay: 3, total: 100 });
  protected readonly saving = new Action();
  protected readonly saved = signal(false);
  protected readonly perDay = linkedSignal(() => this.standing().perDay);
  protected readonly total = linkedSignal(() => this.standing().total);
  protected readonly isChanged = computed(
    () => this.perDay() !== this.standing().perDay || this.total() !== this.standing().total,
  );

  protected async save(): Promise<void> {
    await this.saving.run(async () => {
      await this.context.change({ quota: { perDay: this.perDay(), total: this.total() } });
      this.saved.set(true);
    });
  }
}
