import { Component, computed, effect, inject, input } from '@angular/core';
import { type IsActiveMatchOptions, RouterLink, RouterLinkActive, RouterOutlet } from '@angular/router';
import { problemOf } from '../session/problem.js';
import { PageHeader } from '../ui/index.js';
import { Failure } from '../ui/states/failure.js';
import { TaskContext } from './task-context.js';

/** The name and tabs of a task above the current page, or an error if the task cannot be loaded. */
@Component({
  selector: 'app-task-frame',
  imports: [Failure, PageHeader, RouterLink, RouterLinkActive, RouterOutlet],
  templateUrl: './task-frame.html',
  styleUrl: './task-frame.scss',
})
export class TaskFrame {
  /** The slug, from the route. */
  readonly slug = input.required<string>();

  protected readonly context = inject(TaskContext);
  protected readonly task = this.context.loaded;
  protected readonly openRound = computed(() => this.task()?.rounds.find(({ state }) => state === 'open')?.number);
  protected readonly tabs = computed(() => {
    const task = this.task();
    return task ? taskTabs({ collects: task.collection !== undefined, isOwner: this.context.isOwner() }) : [];
  });
  protected readonly problem = computed(() => {
    const error = this.context.task.error();
    return error ? problemOf(error) : undefined;
  });
  protected readonly problemTitle = computed(() => {
    const status = this.problem()?.status;
    if (status === 404) return $localize`There is no such task`;
    return status === 401 || status === 403 ? $localize`You can’t see this task` : $localize`The task can’t be shown`;
  });

  constructor() {
    effect(() => this.context.slug.set(this.slug()));
  }

  /** Scrolls the tab of the current page into view, if not all tabs fit. */
  protected show(tab: HTMLElement): void {
    tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** Matches a tab regardless of the query. The overview matches only its exact path. */
  protected activeWhen(path: string): IsActiveMatchOptions {
    const paths = path === './' ? 'exact' : 'subset';
    return { paths, queryParams: 'ignored', fragment: 'ignored', matrixParams: 'ignored' };
  }
}

/**
 * Returns the tabs of a task in order. Collection tabs need a task that collects; the settings are
 * for its owner.
 */
export function taskTabs(of: { readonly collects: boolean; readonly isOwner: boolean }) {
  const collection = [
    { path: 'annotate', name: $localize`Annotate` },
    { path: 'validate', name: $localize`Validate` },
  ];
  return [
    { path: './', name: $localize`Overview` },
    { path: 'leaderboard', name: $localize`Leaderboard` },
    { path: 'rounds', name: $localize`Rounds` },
    ...(of.collects ? collection : []),
    { path: 'data', name: $localize`Data` },
    ...(of.isOwner ? [{ path: 'settings', name: $localize`Settings` }] : []),
  ];
}
