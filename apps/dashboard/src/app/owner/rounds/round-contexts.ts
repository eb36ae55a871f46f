import { Component, computed, inject, input, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { type Context, roundsChangeContext, roundsListContextsResource } from '@assay/api-client/angular';
import { Action, ActionProblem, cutText, Loaded, Numbers, valueText } from '../../ui/index.js';

const LONGEST = 160;

/**
 * The contexts of a round, with the number of examples, skips and flags of each. The owner can
 * retire a context.
 */
@Component({
  selector: 'app-round-contexts',
  imports: [ActionProblem, Loaded, MatButton],
  template: `
    <div class="stack" *appLoaded="contexts; skeleton: 3; let list">
      @if (list.items.length === 0) {
        <p class="muted" i18n>
          None yet. Each line is an object with the inputs that are given; its id, tags and metadata stay with it.
        </p>
      } @else {
        <div class="table-frame" tabindex="0" role="region" i18n-aria-label aria-label="Contexts of the round">
          <table class="data">
            <thead>
              <tr>
                <th scope="col" i18n>Context</th>
                <th scope="col" class="number" i18n>Examples</th>
                <th scope="col" class="number" i18n>Fooled</th>
                <th scope="col" class="number" i18n>Skipped</th>
                <th scope="col" class="number" i18n>Flagged</th>
                <th scope="col"><span class="visually-hidden" i18n>Retire</span></th>
              </tr>
            </thead>
            <tbody>
              @for (context of list.items; track context.id) {
                <tr [class.retired]="!context.active">
                  <td class="content">
                    <span class="small muted">{{ context.externalId }}</span> {{ text(context) }}
                  </td>
                  <td class="number">{{ numbers.count(context.annotations) }}</td>
                  <td class="number">{{ numbers.count(context.fooled) }}</td>
                  <td class="number">{{ numbers.count(context.skips) }}</td>
                  <td class="number">{{ numbers.count(context.flags) }}</td>
                  <td class="number">
                    <button
                      matButton
                      type="button"
                      [attr.aria-label]="retiring(context)"
                      [disabled]="changing.busy()"
                      (click)="change(context)"
                    >
                      @if (context.active) {
                        <ng-container i18n>Retire</ng-container>
                      } @else {
                        <ng-container i18n>Put back</ng-container>
                      }
                    </button>
                  </td>
                </tr>
              }
            </tbody>
          </table>
        </div>
        <div class="row">
          @if (cursor()) {
            <button matButton type="button" (click)="cursor.set(undefined)" i18n>From the start</button>
          }
          @if (list.nextCursor; as next) {
            <button matButton type="button" (click)="cursor.set(next)" i18n>Next</button>
          }
        </div>
      }
      <app-action-problem [of]="changing" />
    </div>
  `,
  styles: `
    .content {
      min-width: 240px;
      overflow-wrap: anywhere;
    }

    .retired td {
      color: var(--muted);
    }
  `,
})
export class RoundContexts {
  readonly slug = input.required<string>();
  readonly number = input.required<number>();

  protected readonly numbers = inject(Numbers);
  protected readonly changing = new Action();
  protected readonly cursor = signal<string | undefined>(undefined);
  private readonly query = computed(() => ({
    limit: 20,
    ...(this.cursor() !== undefined && { cursor: this.cursor()! }),
  }));
  protected readonly contexts = roundsListContextsResource(() => ({
    path: { slug: this.slug(), number: String(this.number()) },
    query: this.query(),
  }));

  reload(): void {
    this.contexts.reload();
  }

  protected text({ content }: Context): string {
    return cutText(Object.values(content).map(valueText).join(' · '), LONGEST);
  }

  protected retiring({ active, externalId }: Context): string {
    return active ? $localize`Retire ${externalId}:id:` : $localize`Put ${externalId}:id: back`;
  }

  protected async change({ id, active }: Context): Promise<void> {
    const body = { active: !active };
    if (await this.changing.run(() => roundsChangeContext({ path: { id }, body }))) this.reload();
  }
}
