import { Component, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Numbers, ValidatedErrorRate, When } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';
import { roundStateName, type RoundSummary } from './rounds.js';

/**
 * The rounds in order along a line, with dates, number of examples, error rates and target models.
 */
@Component({
  selector: 'app-round-timeline',
  imports: [RouterLink, Term, ValidatedErrorRate, When],
  templateUrl: './round-timeline.html',
  styleUrl: './round-timeline.scss',
})
export class RoundTimeline {
  readonly slug = input.required<string>();
  readonly rounds = input.required<readonly RoundSummary[]>();

  protected readonly numbers = inject(Numbers);
  protected readonly stateName = roundStateName;
}
