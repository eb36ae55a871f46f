import { Component, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { KeyValuePipe } from '@angular/common';
import type { CrowdSubmission } from '@assay/api-client/angular';

/** The control that hands finished work to the platform: a form, or a link back to it. */
@Component({
  selector: 'app-hand-in',
  imports: [KeyValuePipe, MatButton],
  template: `
    @let to = submission();
    @if (to.method === 'POST') {
      <form method="post" [action]="to.url">
        @for (field of to.fields | keyvalue; track field.key) {
          <input type="hidden" [name]="field.key" [value]="field.value" />
        }
        <button matButton="filled" type="submit" i18n>Hand in</button>
      </form>
    } @else {
      <a matButton="filled" [href]="to.url" target="_top" i18n>Back to Prolific</a>
    }
  `,
})
export class HandIn {
  readonly submission = input.required<CrowdSubmission>();
}
