import { Component, computed, inject } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Empty, Loaded, Markdown } from '../ui/index.js';
import { BenchmarkSection } from './benchmark-section.js';
import { KeyFacts } from './key-facts.js';
import { LeadersSection } from './leaders-section.js';
import { RoundTimeline } from './round-timeline.js';
import { Rounds } from './rounds.js';
import { TakePart } from './take-part.js';
import { TaskContext } from './task-context.js';
import { TaskWarnings } from './task-warnings.js';
import { TrendSection } from './trend-section.js';

/** The overview of a task: description, leaders, history and ways to take part. */
@Component({
  selector: 'app-overview-page',
  imports: [
    BenchmarkSection,
    Empty,
    KeyFacts,
    LeadersSection,
    Loaded,
    Markdown,
    RoundTimeline,
    RouterLink,
    TakePart,
    TaskWarnings,
    TrendSection,
  ],
  providers: [Rounds],
  templateUrl: './overview-page.html',
  styleUrl: './overview-page.scss',
})
export class OverviewPage {
  protected readonly context = inject(TaskContext);
  protected readonly rounds = inject(Rounds);
  protected readonly hasRounds = computed(() => this.rounds.summaries().length > 0);
}
