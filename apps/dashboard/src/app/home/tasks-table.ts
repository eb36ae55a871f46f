import { NgTemplateOutlet } from '@angular/common';
import { Component, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { Overview } from '@assay/api-client/angular';
import { Numbers, plainText, ValidatedErrorRate } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';

/** The tasks as a table, or as cards on a narrow screen. */
@Component({
  selector: 'app-tasks-table',
  imports: [NgTemplateOutlet, RouterLink, Term, ValidatedErrorRate],
  templateUrl: './tasks-table.html',
  styleUrl: './tasks-table.scss',
})
export class TasksTable {
  readonly tasks = input.required<Overview['items']>();

  protected readonly numbers = inject(Numbers);
  protected readonly plainText = plainText;

  /** True if the card of a task has figures. A card leaves out figures without data. */
  protected hasFacts({ rounds, examples, models, vmer }: Overview['items'][number]): boolean {
    return rounds > 0 || examples > 0 || models > 0 || vmer.value !== null;
  }
}
