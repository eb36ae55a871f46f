import { Component, input, model } from '@angular/core';
import type { ExtraField } from '@assay/api-client/angular';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { isNothing } from '../writing.js';
import { YesOrNo } from './yes-or-no.js';

/** The fields for the task's own questions. */
@Component({
  selector: 'app-own-questions',
  imports: [FORM_FIELD, YesOrNo],
  template: `
    @for (field of fields(); track field.name) {
      @switch (field.type) {
        @case ('boolean') {
          <app-yes-or-no
            [fieldId]="fieldId() + field.name"
            [question]="field.label"
            [value]="truth(field.name)"
            (valueChange)="set(field.name, $event)"
          />
        }
        @case ('choice') {
          <mat-form-field appearance="outline" subscriptSizing="dynamic">
            <mat-label>{{ field.label }}</mat-label>
            <select
              #choice
              matNativeControl
              [required]="field.required"
              [value]="values()[field.name] ?? ''"
              (change)="set(field.name, choice.value || undefined)"
            >
              <option value=""></option>
              @for (option of field.choices; track option) {
                <option [value]="option" [selected]="values()[field.name] === option">{{ option }}</option>
              }
            </select>
          </mat-form-field>
        }
        @case ('number') {
          <mat-form-field appearance="outline" subscriptSizing="dynamic">
            <mat-label>{{ field.label }}</mat-label>
            <input
              #number
              matInput
              type="number"
              step="any"
              [required]="field.required"
              [value]="values()[field.name] ?? ''"
              (input)="set(field.name, number.value === '' ? undefined : number.valueAsNumber)"
            />
          </mat-form-field>
        }
        @default {
          <mat-form-field appearance="outline" subscriptSizing="dynamic">
            <mat-label>{{ field.label }}</mat-label>
            <input
              #text
              matInput
              maxlength="5000"
              [required]="field.required"
              [value]="values()[field.name] ?? ''"
              (input)="set(field.name, text.value)"
            />
          </mat-form-field>
        }
      }
    }
  `,
  styles: `
    :host {
      display: grid;
      gap: 12px;
      grid-template-columns: minmax(0, 1fr);
    }

    :host(:empty) {
      display: none;
    }
  `,
})
export class OwnQuestions {
  readonly fieldId = input.required<string>();
  readonly fields = input.required<readonly ExtraField[]>();
  readonly values = model.required<Readonly<Record<string, unknown>>>();

  protected set(name: string, value: unknown): void {
    const others = Object.entries(this.values()).filter(([each]) => each !== name);
    this.values.set(Object.fromEntries(value === undefined ? others : [...others, [name, value]]));
  }

  protected truth(name: string): boolean | null {
    const value = this.values()[name];
    return typeof value === 'boolean' ? value : null;
  }
}

/** Returns the first required question without an answer. */
export const unansweredQuestion = (
  fields: readonly ExtraField[],
  values: Readonly<Record<string, unknown>>,
): ExtraField | undefined => fields.find(({ name, required }) => required && isNothing(values[name]));
