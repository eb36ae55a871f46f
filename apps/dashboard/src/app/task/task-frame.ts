import { Component, computed, effect, inject, input } from '@angular/core';
import { MatTabLink, MatTabNav, MatTabNavPanel } from '@angular/material/tabs';
import { RouterLink, RouterLinkActive, RouterOutlet } from '@angular/router';
import { TaskContext } from './task-context.js';

interface Tab {
  readonly path: string;
  readonly name: string;
}

/** The tabs of a task above the page that is open. */
@Component({
  selector: 'app-task-frame',
  imports: [MatTabLink, MatTabNav, MatTabNavPanel, RouterLink, RouterLinkActive, RouterOutlet],
  templateUrl: './task-frame.html',
  styleUrl: './task-frame.scss',
})
export class TaskFrame {
  /** From the address. */
  readonly slug = input.required<string>();

  protected readonly context = inject(TaskContext);
  protected readonly tabs = computed<readonly Tab[]>(() => [{ path: './', name: $localize`Overview` }]);

  constructor() {
    effect(() => this.context.slug.set(this.slug()));
  }
}
