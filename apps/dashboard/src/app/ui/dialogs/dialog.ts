import { MatButton } from '@angular/material/button';
import { MatDialogActions, MatDialogClose, MatDialogContent, MatDialogTitle } from '@angular/material/dialog';

/** The parts of a dialog with its buttons, for the `imports` of a component. */
export const DIALOG = [MatButton, MatDialogActions, MatDialogClose, MatDialogContent, MatDialogTitle] as const;
