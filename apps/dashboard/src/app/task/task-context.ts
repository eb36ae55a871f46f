import { computed, inject, Injectable, signal } from '@angular/core';
import { tasksGetResource } from '../../client/@angular/common.gen.js';
import { Session } from '../session/session.js';

/** The task whose pages are shown; one reading of it for all of them. */
@Injectable()
export class TaskContext {
  private readonly session = inject(Session);

  /** From the address. */
  readonly slug = signal('');
  readonly task = tasksGetResource(() => (this.slug() ? { path: { slug: this.slug() } } : undefined));
  /** Whether who looks may change it. */
  readonly isOwner = computed(() => {
    const user = this.session.user();
    if (!user || !this.task.hasValue()) return false;
    return user.role === 'administrator' || this.task.value().owner === user.username;
  });
}
