import { Component, DestroyRef, inject, input, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import type { Task } from '@assay/api-client/angular';
import { Annotating } from './annotating.js';
import { ContextFields } from './form/context-fields.js';

/** Seconds between a response of the service and the next retry. */
const RETRY_SECONDS = 5;

/**
 * An example that is saved and has no answer yet: the reason, and when the models are asked again.
 * It stays visible while they are asked.
 */
@Component({
  selector: 'app-saved-example',
  imports: [ContextFields, MatButton],
  template: `
    <section class="panel stack" aria-labelledby="saved-example">
      <h2 id="saved-example" i18n>Your example is saved</h2>
      <p>{{ why() }}</p>
      <p class="muted numbers">
        @if (work.retrying()) {
          <ng-container i18n>Asking the models…</ng-container>
        } @else {
          <ng-container i18n>Asking again in {{ secondsLeft() }} s</ng-container>
        }
      </p>
      <app-context-fields [content]="work.draft()?.input ?? {}" [inputs]="task().inputs" [language]="task().language" />
      <div class="row">
        <button matButton="outlined" type="button" [disabled]="work.retrying()" (click)="work.send()" i18n>
          Ask again now
        </button>
        <button matButton type="button" [disabled]="work.busy()" (click)="work.next()" i18n>
          Continue with the next
        </button>
      </div>
    </section>
  `,
  styles: `
    :host {
      display: block;
    }
  `,
})
export class SavedExample {
  protected readonly work = inject(Annotating);
  readonly task = input.required<Pick<Task, 'inputs' | 'language'>>();
  /** The reason why there is no answer yet, in words. */
  readonly why = input.required<string>();

  protected readonly secondsLeft = signal(RETRY_SECONDS);

  constructor() {
    const clock = setInterval(() => this.tick(), 1_000);
    inject(DestroyRef).onDestroy(() => clearInterval(clock));
  }

  private tick(): void {
    if (document.hidden) return;
    if (this.work.retrying()) {
      this.secondsLeft.set(RETRY_SECONDS);
      return;
    }
    this.secondsLeft.update((seconds) => seconds - 1);
    if (this.secondsLeft() > 0) return;
    this.secondsLeft.set(RETRY_SECONDS);
    void this.work.send();
  }
}
