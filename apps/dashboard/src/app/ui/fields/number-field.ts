import { Component, input, output } from '@angular/core';
import { FORM_FIELD } from './form-field.js';

/** A number field that emits the raw text, because a half-typed number is not a number yet. */
@Component({
  selector: 'app-number-field',
  imports: [FORM_FIELD],
  template: `
    <mat-form-field>
      <mat-label>{{ label() }}</mat-label>
      <input
        #field
        matInput
        type="number"
        [min]="min()"
        [max]="max()"
        [step]="step()"
        [value]="value()"
        (input)="written.emit(field.value)"
      />
      @if (hint()) {
        <mat-hint>{{ hint() }}</mat-hint>
      }
    </mat-form-field>
  `,
  // `display: contents` puts the form field itself into the surrounding grid
  styles: `
    :host {
      display: contents;
    }
  `,
})
export class NumberField {
  readonly label = input.required<string>();
  readonly hint = input('');
  readonly min = input<number>();
  readonly max = input<number>();
  /** `any` allows all values between the steps. */
  readonly step = input<number | 'any'>(1);
  /** An empty string means no number. */
  readonly value = input.required<number | string>();
  readonly written = output<string>();
}
