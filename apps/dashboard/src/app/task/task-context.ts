import { computed, inject, Injectable, signal } from '@angular/core';
import { type TaskChange, tasksChange, tasksGetResource } from '@assay/api-client/angular';
import { Session } from '../session/session.js';

/** The current task. All pages of the task share one copy of it. */
@Injectable()
export class TaskContext {
  private readonly session = inject(Session);

  /** The slug, from the route. */
  readonly slug = signal('');
  /** The parameters of requests about the task. Undefined until the slug is known. */
  readonly path = computed(() => (this.slug() ? { path: { slug: this.slug() } } : undefined));
  readonly task = tasksGetResource(this.path);
  /** The task. Undefined while it is not loaded. */
  readonly loaded = computed(() => (this.task.hasValue() ? this.task.value() : undefined));
  /** True if the user may change the task: its owner or an administrator. */
  readonly isOwner = computed(() => {
    const [user, task] = [this.session.user(), this.loaded()];
    return !!user && !!task && (user.role === 'administrator' || task.owner === user.username);
  });

  /** The rounds whose examples were not imported, the newest first. */
  readonly ownRounds = computed(() => (this.loaded()?.rounds ?? []).filter(({ imported }) => !imported).toReversed());

  /** Returns the parameters of requests about a round. Undefined while its number is not known. */
  roundPath(number: number | undefined) {
    return number === undefined ? undefined : { path: { slug: this.slug(), number: String(number) } };
  }

  /**
   * Changes the task, then loads it again.
   * @throws The problem of the API.
   */
  async change(body: TaskChange): Promise<void> {
    await tasksChange({ path: { slug: this.slug() }, body });
    this.task.reload();
  }
}
