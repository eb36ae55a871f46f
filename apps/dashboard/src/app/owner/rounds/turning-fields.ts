import { Component, input, output } from '@angular/core';
import type { TurningRule } from '@assay/api-client/angular';
import { isoOf, localOf } from './turning-rule.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { NumberField } from '../../ui/fields/number-field.js';

/** Edits the rule that closes a round automatically. */
@Component({
  selector: 'app-turning-fields',
  imports: [FORM_FIELD, NumberField],
  template: `
    <div class="fields">
      <app-number-field
        i18n-label
        label="Examples written"
        i18n-hint
        hint="Leave empty for no limit."
        [min]="1"
        [value]="rule().examples ?? ''"
        (written)="set('examples', $event)"
      />
      <app-number-field
        i18n-label
        label="Examples found correct"
        [min]="1"
        [value]="rule().validated ?? ''"
        (written)="set('validated', $event)"
      />
      <mat-form-field>
        <mat-label i18n>At a time</mat-label>
        <input
          matInput
          type="datetime-local"
          [value]="local(rule().closesAt)"
          (change)="setTime($any($event.target).value)"
        />
      </mat-form-field>
      <app-number-field
        i18n-label
        label="Saturation"
        i18n-hint
        hint="When a new model gets this share of what fooled right; 0 to 1."
        [min]="0.01"
        [max]="1"
        [step]="0.01"
        [value]="rule().saturation ?? ''"
        (written)="set('saturation', $event)"
      />
      <mat-form-field>
        <mat-label i18n>What is not validated then</mat-label>
        <select matNativeControl [value]="rule().pending ?? ''" (change)="setPending($any($event.target).value)">
          <option value="" i18n>as the reason suggests</option>
          <option value="await" i18n>is awaited</option>
          <option value="leave" i18n>is left out</option>
        </select>
      </mat-form-field>
      <app-number-field
        i18n-label
        label="Days to wait for validations"
        i18n-hint
        hint="Empty: 7."
        [min]="1"
        [max]="365"
        [value]="rule().validationDays ?? ''"
        (written)="set('validationDays', $event)"
      />
    </div>
  `,
  styles: `
    .fields {
      display: grid;
      grid-template-columns: repeat(auto-fit, minmax(220px, 1fr));
      gap: 12px;
      align-items: start;
    }
  `,
})
export class TurningFields {
  readonly rule = input.required<TurningRule>();
  readonly ruleChange = output<TurningRule>();

  protected readonly local = localOf;

  protected set(key: 'examples' | 'validated' | 'saturation' | 'validationDays', written: string): void {
    const number = written.trim() === '' ? undefined : Number(written);
    if (number === undefined || Number.isFinite(number)) this.change({ [key]: number });
  }

  protected setTime(written: string): void {
    this.change({ closesAt: isoOf(written) });
  }

  protected setPending(pending: string): void {
    this.change({ pending: pending === '' ? undefined : pending });
  }

  private change(of: Readonly<Record<string, unknown>>): void {
    const entries = Object.entries({ ...this.rule(), ...of }).filter(([, value]) => value !== undefined);
    this.ruleChange.emit(Object.fromEntries(entries));
  }
}
