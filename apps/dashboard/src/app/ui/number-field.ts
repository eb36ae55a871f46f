import { Component, input, output } from '@angular/core';
import { MatFormField, MatHint, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';

/** A field for a number, which gives what is written in it: a half-written number is a text. */
@Component({
  selector: 'app-number-field',
  imports: [MatFormField, MatHint, MatInput, MatLabel],
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
  // the form field takes its place in the grid around
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
  /** `any`: no steps. */
  readonly step = input<number | 'any'>(1);
  /** An empty text: no number. */
  readonly value = input.required<number | string>();
  readonly written = output<string>();
}
