import { MatError, MatFormField, MatHint, MatInput, MatLabel } from '@angular/material/input';

/** The parts of Material's form fields, for the `imports` of a component. */
export const FORM_FIELD = [MatError, MatFormField, MatHint, MatInput, MatLabel] as const;
