import { Component, computed, inject } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Empty, Loaded, Numbers, PageHeader, ValidatedErrorRate, When } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';
import { Rounds, roundStateName } from './rounds.js';
import { TaskContext } from './task-context.js';

/** The rounds of a task, the newest first. */
@Component({
  selector: 'app-rounds-page',
  imports: [Empty, Loaded, PageHeader, RouterLink, Term, ValidatedErrorRate, When],
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
