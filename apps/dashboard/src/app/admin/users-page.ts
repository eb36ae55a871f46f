import { Component, computed, inject, input, signal } from '@angular/core';
import { type ChangeUser, type ManagedUser, usersChange, usersListResource } from '@assay/api-client/angular';
import { Action } from '../ui/states/action.js';
import { ActionProblem } from '../ui/states/action-problem.js';
import { Session } from '../session/session.js';
import { Confirm } from '../ui/dialogs/confirm.js';
import { cursorPages } from '../ui/layout/cursor-pages.js';
import { Empty } from '../ui/states/empty.js';
import { Loaded } from '../ui/states/loaded.js';
import { PageHeader } from '../ui/layout/page-header.js';
import { Pager } from '../ui/layout/pager.js';
import { AddressFilters } from './address-filters.js';
import { doneInWords, questionOf } from './user-questions.js';
import { UsersTable } from './users-table.js';

const ROLES = ['administrator', 'user', 'crowd'] as const;
type Role = (typeof ROLES)[number];
const PAUSE_MILLISECONDS = 250;

/** All accounts, to search, to make administrators, to block and to set storage limits. */
@Component({
  selector: 'app-users-page',
  imports: [ActionProblem, Empty, Loaded, PageHeader, Pager, UsersTable],
  templateUrl: './users-page.html',
  styleUrl: './filters.scss',
})
export class UsersPage {
  /** `query` and `role` are query parameters. */
  readonly query = input<string>();
  readonly role = input<string>();

  protected readonly session = inject(Session);
  private readonly confirm = inject(Confirm);
  private readonly filters = inject(AddressFilters);
  private readonly shownRole = computed(() => ROLES.find((each): each is Role => each === this.role()));
  protected readonly pages = cursorPages(() => [this.query(), this.role()].join('\n'));
  protected readonly users = usersListResource(() => {
    const [query, role, cursor] = [this.query()?.slice(0, 100), this.shownRole(), this.pages.cursor()];
    return { query: { ...(query && { query }), ...(role && { role }), ...(cursor && { cursor }) } };
  });
  protected readonly action = new Action();
  protected readonly done = signal('');
  protected readonly roles: readonly { readonly role: Role; readonly name: string }[] = [
    { role: 'administrator', name: $localize`administrators` },
    { role: 'user', name: $localize`users` },
    { role: 'crowd', name: $localize`crowd workers` },
  ];
  private pause: ReturnType<typeof setTimeout> | undefined;

  protected search(event: Event): void {
    const query = (event.target as HTMLInputElement).value;
    clearTimeout(this.pause);
    this.pause = setTimeout(() => void this.filters.set({ query }), PAUSE_MILLISECONDS);
  }

  protected chooseRole(event: Event): void {
    void this.filters.set({ role: (event.target as HTMLSelectElement).value });
  }

  protected async change(user: ManagedUser, change: ChangeUser): Promise<void> {
    // the storage dialog has already asked
    const isAsked = change.storageLimit !== undefined;
    if (!isAsked && !(await this.confirm.ask(questionOf(user, change)))) return;
    this.done.set('');
    const answer = await this.action.run(() =>
      usersChange({ path: { id: user.id }, body: change, throwOnError: true }),
    );
    if (answer) this.done.set(doneInWords(answer.data, change));
    this.users.reload();
  }
}
