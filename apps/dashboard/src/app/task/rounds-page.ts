import { Component, computed, inject } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Empty } from '../ui/empty.js';
import { Estimate } from '../ui/estimate.js';
import { Loaded } from '../ui/loaded.js';
import { Numbers } from '../ui/numbers.js';
import { PageHeader } from '../ui/page-header.js';
import { Term } from '../ui/term.js';
import { When } from '../ui/when.js';
import { roundStateName } from './round-summary.js';
import { Rounds } from './rounds.js';
import { TaskContext } from './task-context.js';

/** The rounds of a task, the newest first. */
@Component({
  selector: 'app-rounds-page',
  imports: [Empty, Estimate, Loaded, PageHeader, RouterLink, Term, When],
  providers: [Rounds],
  templateUrl: './rounds-page.html',
})
export class RoundsPage {
  protected readonly context = inject(TaskContext);
  protected readonly rounds = inject(Rounds);
  protected readonly numbers = inject(Numbers);
  protected readonly stateName = roundStateName;
  protected readonly newestFirst = computed(() => this.rounds.summaries().toReversed());
}
