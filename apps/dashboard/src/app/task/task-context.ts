import { computed, inject, Injectable, signal } from '@angular/core';
import { tasksGetResource } from '@assay/api-client/angular';
import { Session } from '../session/session.js';

/** The current task. All pages of the task share one copy of it. */
@Injectable()
export class TaskContext {
  private readonly session = inject(Session);

  /** The slug, from the route. */
  readonly slug = signal('');
  readonly task = tasksGetResource(() => (this.slug() ? { path: { slug: this.slug() } } : undefined));
  /** True if the user may change the task: its owner or an administrator. */
  readonly isOwner = computed(() => {
    const user = this.session.user();
    if (!user || !this.task.hasValue()) return false;
    return user.role === 'administrator' || this.task.value().owner === user.username;
  });
}
