import { Component, input, model } from '@angular/core';

/** A yes-or-no question that may stay unanswered. */
@Component({
  selector: 'app-yes-or-no',
  template: `
    <fieldset>
      <legend>{{ question() }}</legend>
      <label>
        <input type="radio" [name]="fieldId()" [checked]="value() === true" (change)="value.set(true)" />
        <ng-container i18n>Yes</ng-container>
      </label>
      <label>
        <input type="radio" [name]="fieldId()" [checked]="value() === false" (change)="value.set(false)" />
        <ng-container i18n>No</ng-container>
      </label>
    </fieldset>
  `,
  styles: `
    fieldset {
      display: flex;
      flex-wrap: wrap;
      gap: 4px 20px;
      margin: 0;
      padding: 0;
      border: 0;
    }

    legend {
      float: left;
      width: 100%;
      padding: 0;
      color: var(--muted);
    }

    label {
      display: inline-flex;
      gap: 8px;
      align-items: center;
      min-height: 32px;
      cursor: pointer;
    }

    input {
      width: 16px;
      height: 16px;
      margin: 0;
      accent-color: var(--accent);
    }
  `,
})
export class YesOrNo {
  readonly fieldId = input.required<string>();
  readonly question = input.required<string>();
  readonly value = model<boolean | null>(null);
}
