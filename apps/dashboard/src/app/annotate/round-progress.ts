import { Component, computed, effect, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { type BadgeList, profilesOwnBadgesResource, type Round, type Task } from '@assay/api-client/angular';
import { progressOf } from '../task/round-words.js';
import { Icon, Numbers } from '../ui/index.js';

type Badge = BadgeList['items'][number];

/**
 * Returns the next badge to earn for each figure that badges for writing count. `badges` is in
 * ascending order of what each badge needs.
 */
export const nextBadges = (badges: readonly Badge[]): readonly Badge[] => {
  const writing = badges.filter(({ code }) => /^(first-fool|fooling|streak)/.test(code));
  const counted = [...new Set(writing.map(({ counts }) => counts))];
  return counted.flatMap((counts) => writing.find((badge) => badge.counts === counts && badge.earnedAt === null) ?? []);
};

/**
 * The progress of the round and of the annotator, with the next badges. A task with a content
 * warning shows no badges.
 */
@Component({
  selector: 'app-round-progress',
  imports: [Icon, RouterLink],
  template: `
    @if (round(); as round) {
      <section class="panel" aria-labelledby="of-round">
        <h2 id="of-round" i18n>Round {{ round.number }}</h2>
        @if (progress(); as progress) {
          <progress
            [value]="progress.done"
            [max]="progress.of"
            i18n-aria-label
            aria-label="How far the round is"
          ></progress>
          <p>
            @if (round.turn?.examples) {
              <ng-container i18n
                >{{ numbers.count(progress.done) }} of {{ numbers.count(progress.of) }} examples</ng-container
              >
            } @else {
              <ng-container i18n
                >{{ numbers.count(progress.done) }} of {{ numbers.count(progress.of) }} validated examples</ng-container
              >
            }
          </p>
        } @else {
          <p i18n>
            {round.counts.examples, plural,
              =0 {No example yet}
              =1 {1 example}
              other {{{ numbers.count(round.counts.examples) }} examples}
            }
          </p>
        }
        <p class="muted small" i18n>
          {{ numbers.count(round.counts.fooled) }} fooled, {{ numbers.count(round.counts.validated) }}
          validated
        </p>
      </section>
    }
    <section class="panel" aria-labelledby="yours">
      <h2 id="yours" i18n>You</h2>
      <p>
        @if (today(); as today) {
          <ng-container i18n>{{ numbers.count(today) }} today</ng-container>
        } @else {
          <ng-container i18n>None today yet</ng-container>
        }
        @if (left() !== undefined) {
          <span class="muted small left" i18n>You may write {{ numbers.count(left()!) }} more.</span>
        }
      </p>
      @if (!isQuiet()) {
        @for (badge of next(); track badge.code) {
          <p class="badge" [title]="badge.description">
            <app-icon name="star" />
            <span>{{ badge.name }}</span>
            <span class="muted numbers" i18n>{{ badge.progress }} of {{ badge.needed }}</span>
          </p>
          <p class="muted small">{{ badge.counts }}</p>
        }
        <p class="small"><a [routerLink]="['/tasks', task().slug, 'annotators']" i18n>The annotators</a></p>
      }
    </section>
  `,
  styles: `
    :host {
      display: grid;
      gap: 12px;
      align-content: start;
    }

    section {
      display: grid;
      gap: 6px;
    }

    h2 {
      font-size: var(--size-2);
      line-height: 20px;
    }

    .left {
      display: block;
    }

    .badge {
      display: flex;
      gap: 8px;
      align-items: center;
      margin-top: 4px;

      app-icon {
        color: var(--caution);
      }

      .numbers {
        margin-inline-start: auto;
      }
    }
  `,
})
export class RoundProgress {
  readonly task = input.required<Task>();
  readonly round = input<Round>();
  /** The number of examples that may still be written today. */
  readonly left = input<number>();
  /** Examples sent since the page was opened. Each one reloads the badges. */
  readonly sent = input(0);

  protected readonly numbers = inject(Numbers);
  protected readonly isQuiet = computed(() => this.task().collection?.contentWarning !== undefined);
  private readonly badges = profilesOwnBadgesResource(() => (this.isQuiet() ? undefined : {}));
  protected readonly progress = computed(() => {
    const round = this.round();
    return round && progressOf(round)[0];
  });
  protected readonly next = computed(() => nextBadges(this.badges.hasValue() ? this.badges.value().items : []));
  protected readonly today = computed(() => {
    const [left, most] = [this.left(), this.task().collection?.examplesPerDay];
    return left === undefined || most === undefined ? this.sent() : most - left;
  });

  constructor() {
    effect(() => {
      if (this.sent() === 0) return;
      this.badges.reload();
    });
  }
}
