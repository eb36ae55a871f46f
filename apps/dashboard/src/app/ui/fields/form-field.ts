import type { Provider } from '@angular/core';
import { MAT_FORM_FIELD_DEFAULT_OPTIONS, type MatFormFieldDefaultOptions } from '@angular/material/form-field';
import { MatError, MatFormField, MatHint, MatInput, MatLabel } from '@angular/material/input';

/** The parts of Material's form fields, for the `imports` of a component. */
export const FORM_FIELD = [MatError, MatFormField, MatHint, MatInput, MatLabel] as const;

/** Form field defaults of the settings pages: outlined, without space reserved for absent hints. */
export const deskFormFields: Provider = {
  provide: MAT_FORM_FIELD_DEFAULT_OPTIONS,
  useValue: { appearance: 'outline', subscriptSizing: 'dynamic' } satisfies MatFormFieldDefaultOptions,
};
