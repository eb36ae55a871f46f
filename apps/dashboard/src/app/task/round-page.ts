import { Component, computed, inject, input, LOCALE_ID } from '@angular/core';
import { RouterLink } from '@angular/router';
import { collectionnumbersOfRoundResource, roundsGetResource } from '@assay/api-client/angular';
import { Loaded, Markdown, Numbers, PageHeader, When } from '../ui/index.js';
import { RoundCosts } from './round-costs.js';
import { RoundData } from './round-data.js';
import { RoundFigures } from './round-figures.js';
import { RoundLoop } from './round-loop.js';
import { roundStateName } from './rounds.js';
import { CLOSING_WORDS, progressOf, turningWords } from './round-words.js';
import { TaskContext } from './task-context.js';

/** The page of one round: progress, statistics, target models and resulting data. */
@Component({
  selector: 'app-round-page',
  imports: [Loaded, Markdown, PageHeader, RoundCosts, RoundData, RoundFigures, RoundLoop, RouterLink, When],
  templateUrl: './round-page.html',
  styleUrl: './round-page.scss',
})
export class RoundPage {
  /** The round number, from the route. */
  readonly number = input.required<string>();

  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  private readonly locale = inject(LOCALE_ID);
  protected readonly round = roundsGetResource(() => this.path());
  protected readonly shown = computed(() => (this.round.hasValue() ? this.round.value() : undefined));
  protected readonly figures = collectionnumbersOfRoundResource(() => {
    const [of, round] = [this.path(), this.shown()];
    // only the owner may see figures by model while the round is open
    const mayTell = round?.state !== 'open' || this.context.isOwner();
    return of && round && (mayTell ? { ...of, query: { by: 'target' as const } } : of);
  });
  protected readonly stateName = computed(() => {
    const round = this.shown();
    return round ? roundStateName(round) : '';
  });
  protected readonly closing = computed(() => {
    const step = this.shown()?.closingStep;
    return step && CLOSING_WORDS[step];
  });
  protected readonly goals = computed(() => {
    const round = this.shown();
    return round ? progressOf(round) : [];
  });
  protected readonly turns = computed(() => turningWords(this.shown()?.turn ?? null, (at) => this.date(at)));
  protected readonly files = computed(() =>
    (this.context.loaded()?.datasets ?? []).filter(
      ({ role, round }) => role === 'round' && String(round) === this.number(),
    ),
  );

  private path(): { readonly path: { slug: string; number: string } } | undefined {
    const slug = this.context.slug();
    return slug ? { path: { slug, number: this.number() } } : undefined;
  }

  private date(at: string): string {
    return new Intl.DateTimeFormat(this.locale, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(at));
  }
}
