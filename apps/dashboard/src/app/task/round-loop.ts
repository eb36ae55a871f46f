import { Component, computed, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { leaderboardLoopResource, type Round } from '@assay/api-client/angular';
import { Term } from '../ui/terms/term.js';
import { When } from '../ui/index.js';
import { REASON_WORDS, servingWords } from './round-words.js';

/**
 * The target models of a round, with the reason for their selection and their current availability.
 */
@Component({
  selector: 'app-round-loop',
  imports: [RouterLink, Term, When],
  templateUrl: './round-loop.html',
})
export class RoundLoop {
  readonly slug = input.required<string>();
  readonly round = input.required<Round>();

  private readonly loop = leaderboardLoopResource(() =>
    this.round().state === 'open' ? { path: { slug: this.slug() } } : undefined,
  );
  protected readonly reasonWords = REASON_WORDS;
  protected readonly servingWords = servingWords;
  private readonly serving = computed(() => {
    const models = this.loop.hasValue() ? this.loop.value().models : [];
    return new Map(models.map(({ model, serving }) => [model.id, serving]));
  });
  protected readonly rows = computed(() =>
    this.round().models.map((each) => ({ ...each, serving: this.serving().get(each.model.id) })),
  );
}
