import { Component, computed, ElementRef, inject, input, model } from '@angular/core';
import type { GivenLabel, TaskOutput } from '@assay/api-client/angular';
import { FORM_FIELD } from '../../ui/fields/form-field.js';

/**
 * The field for the correct answer, by the type of the task's output: one label, several labels, a
 * text or a number. `SpanField` takes spans.
 */
@Component({
  selector: 'app-label-field',
  imports: [FORM_FIELD],
  template: `
    @if (options(); as options) {
      <fieldset>
        <legend>{{ legend() }}</legend>
        <div class="options">
          @for (option of options; track option; let index = $index) {
            <label [class.is-chosen]="chosen().includes(option)">
              <input
                [type]="isSeveral() ? 'checkbox' : 'radio'"
                [name]="fieldId()"
                [checked]="chosen().includes(option)"
                (change)="choose(index)"
              />
              <span>{{ option }}</span>
              @if (hasKeys() && index < 9) {
                <kbd aria-hidden="true">{{ index + 1 }}</kbd>
              }
            </label>
          }
        </div>
      </fieldset>
    } @else if (output().type === 'number') {
      <mat-form-field appearance="outline" subscriptSizing="dynamic">
        <mat-label>{{ legend() }}</mat-label>
        <input #number matInput type="number" step="any" [value]="value()" (input)="give(number.valueAsNumber)" />
      </mat-form-field>
    } @else {
      <mat-form-field appearance="outline" subscriptSizing="dynamic">
        <mat-label>{{ legend() }}</mat-label>
        <textarea
          #text
          matInput
          rows="2"
          dir="auto"
          [attr.lang]="language()"
          [value]="value() ?? ''"
          (input)="value.set(text.value)"
        ></textarea>
      </mat-form-field>
    }
  `,
  styles: `
    fieldset {
      min-width: 0;
      margin: 0;
      padding: 0;
      border: 0;
    }

    legend {
      margin-bottom: 8px;
      padding: 0;
      color: var(--muted);
    }

    .options {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }

    label {
      display: inline-flex;
      gap: 8px;
      align-items: center;
      min-height: 36px;
      padding: 4px 12px;
      border: 1px solid var(--line-control);
      border-radius: var(--radius);
      background: var(--surface);
      cursor: pointer;

      &.is-chosen {
        border-color: var(--accent);
        background: var(--accent-soft);
      }

      &:has(:focus-visible) {
        outline: 2px solid var(--accent);
        outline-offset: 2px;
      }
    }

    input[type='radio'],
    input[type='checkbox'] {
      width: 16px;
      height: 16px;
      margin: 0;
      accent-color: var(--accent);
      outline: none;
    }

    kbd {
      color: var(--muted);
    }

    mat-form-field {
      width: 100%;
    }
  `,
})
export class LabelField {
  readonly fieldId = input.required<string>();
  readonly legend = input.required<string>();
  readonly output = input.required<TaskOutput>();
  /** The choices of a multiple-choice question, in place of a text field. */
  readonly choices = input<readonly string[] | null>(null);
  /** False if the page has no digit keys for the options. */
  readonly hasKeys = input(true);
  /** The language of a text that is written, a BCP 47 tag. */
  readonly language = input<string>();
  readonly value = model<GivenLabel | null>(null);

  private readonly host = inject<ElementRef<HTMLElement>>(ElementRef);
  protected readonly options = computed(() => {
    const output = this.output();
    return 'labels' in output ? output.labels : (this.choices() ?? undefined);
  });
  protected readonly isSeveral = computed(() => this.output().type === 'labels');
  protected readonly chosen = computed(() => {
    const value = this.value();
    return Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
  });

  /** Selects the option at an index from 0, if there is one. If several labels are allowed, toggles it. */
  choose(index: number): void {
    const option = this.options()?.[index];
    if (option === undefined) return;
    if (!this.isSeveral()) this.value.set(option);
    else {
      const [chosen, isIn] = [this.chosen(), this.chosen().includes(option)];
      this.value.set(isIn ? chosen.filter((each) => each !== option) : [...chosen, option]);
    }
  }

  focus(): void {
    const fields = [...this.host.nativeElement.querySelectorAll<HTMLElement>('input, textarea')];
    (fields.find((field) => (field as HTMLInputElement).checked) ?? fields[0])?.focus();
  }

  protected give(number: number): void {
    this.value.set(Number.isFinite(number) ? number : null);
  }
}
