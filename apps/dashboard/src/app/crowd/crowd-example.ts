import { Component, ElementRef, inject, signal, viewChild } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { ExampleForm } from '../annotate/example-form.js';
import { OwnQuestions } from '../annotate/form/own-questions.js';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Markdown } from '../ui/index.js';
import { CrowdJob } from './crowd-job.js';

/** The form for an example, and what else a worker may do with its context. */
@Component({
  selector: 'app-crowd-example',
  imports: [ExampleForm, FORM_FIELD, Markdown, MatButton, OwnQuestions],
  template: `
    @if (job.given(); as given) {
      <app-example-form [task]="job.task()!" [hasKeys]="false">
        <app-own-questions
          fieldId="own-"
          [fields]="given.rules.fields"
          [values]="job.why().extra"
          (valuesChange)="job.explain({ extra: $event })"
        />
        <button matButton type="button" (click)="job.skip()" [disabled]="job.busy()" i18n>Another context</button>
      </app-example-form>
      <details class="panel">
        <summary i18n>Something is wrong with this context</summary>
        <form class="stack" (submit)="$event.preventDefault(); flag()">
          <mat-form-field appearance="outline" subscriptSizing="dynamic">
            <mat-label i18n>What is wrong?</mat-label>
            <input #reason matInput maxlength="1000" [value]="wrong()" (input)="wrong.set(reason.value)" />
          </mat-form-field>
          <div>
            <button matButton="outlined" type="submit" [disabled]="job.busy()" i18n>Report it</button>
          </div>
        </form>
      </details>
      @if (given.rules.instructions) {
        <details class="panel">
          <summary i18n>What to do</summary>
          <app-markdown [text]="given.rules.instructions" [attr.lang]="job.task()!.language" />
        </details>
      }
    }
  `,
  styles: `
    summary {
      font-weight: 500;
      cursor: pointer;
    }

    details[open] summary {
      margin-bottom: 8px;
    }
  `,
  host: { class: 'stack' },
})
export class CrowdExample {
  protected readonly job = inject(CrowdJob);
  private readonly field = viewChild<string, ElementRef<HTMLInputElement>>('reason', { read: ElementRef });
  protected readonly wrong = signal('');

  protected async flag(): Promise<void> {
    const reason = this.wrong().trim();
    if (reason === '') this.field()?.nativeElement.focus();
    else await this.job.flag(reason);
  }
}
