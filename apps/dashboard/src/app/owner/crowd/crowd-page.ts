import { Component, computed, inject, linkedSignal, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { crowdlinksListResource } from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Empty, Loaded, PageHeader } from '../../ui/index.js';
import { CrowdLinkPanel } from './crowd-link-panel.js';
import { MakeCrowdLinkForm } from './make-crowd-link.js';

/**
 * The links through which workers of Mechanical Turk or Prolific write examples without an account.
 */
@Component({
  selector: 'app-crowd-page',
  imports: [CrowdLinkPanel, Empty, FORM_FIELD, Loaded, MakeCrowdLinkForm, MatButton, PageHeader, RouterLink],
  template: `
    <app-page-header
      i18n-title
      title="Crowd links"
      i18n-lead
      lead="By a link, workers of Mechanical Turk or Prolific write examples in a round, without an account here."
    />
    @if (number() === undefined) {
      <app-empty>
        <p i18n>Links belong to a round that is open.</p>
        <a [routerLink]="['/tasks', context.slug(), 'settings', 'rounds']" i18n>Open a round</a>
      </app-empty>
    } @else {
      <div class="parts">
        <div class="row">
          <mat-form-field>
            <mat-label i18n>Round</mat-label>
            <select matNativeControl [value]="number()" (change)="number.set(+$any($event.target).value)">
              @for (each of rounds(); track each.number) {
                <option [value]="each.number" i18n>round {{ each.number }}</option>
              }
            </select>
          </mat-form-field>
          @if (isOpen() && !isMaking()) {
            <button matButton="filled" type="button" (click)="isMaking.set(true)" i18n>Make a link</button>
          }
        </div>
        @if (isMaking() && isOpen()) {
          <app-make-crowd-link
            [slug]="context.slug()"
            [number]="number()!"
            (made)="isMaking.set(false); links.reload()"
            (cancelled)="isMaking.set(false)"
          />
        }
        <section class="stack" aria-labelledby="links-heading">
          <h2 id="links-heading" i18n>Links</h2>
          <div class="stack" *appLoaded="links; skeleton: 3; let list">
            @for (link of list.items; track link.id) {
              <app-crowd-link-panel
                [slug]="context.slug()"
                [number]="number()!"
                [link]="link"
                (closed)="links.reload()"
              />
            } @empty {
              <p class="muted" i18n>No link in this round yet.</p>
            }
          </div>
        </section>
      </div>
    }
  `,
  styles: `
    .parts {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      gap: 32px;
    }
  `,
})
export class CrowdPage {
  protected readonly context = inject(TaskContext);
  protected readonly isMaking = signal(false);
  protected readonly rounds = this.context.ownRounds;
  protected readonly number = linkedSignal(() => this.rounds()[0]?.number);
  protected readonly isOpen = computed(
    () => this.rounds().find(({ number }) => number === this.number())?.state === 'open',
  );
  protected readonly links = crowdlinksListResource(() => this.context.roundPath(this.number()));
}
