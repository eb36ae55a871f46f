import { Component, computed, inject, input, signal } from '@angular/core';
import { type ChangeUser, type ManagedUser, usersChange, usersListResource } from '@assay/api-client/angular';
import { Action, ActionProblem, Confirm, cursorPages, Empty, Loaded, PageHeader, Pager } from '../ui/index.js';
import { Session } from '../session/session.js';
import { AddressFilters } from './address-filters.js';
import { Invitations } from './invitations.js';
import { doneInWords, questionOf } from './user-questions.js';
import { UsersTable } from './users-table.js';

const ROLES = ['administrator', 'user', 'crowd'] as const;
type Role = (typeof ROLES)[number];
const PAUSE_MILLISECONDS = 250;

/**
 * All accounts, to search, to make administrators, to block, to verify and to set storage limits; and
 * the invitations to register.
 */
@Component({
  selector: 'app-users-page',
  imports: [ActionProblem, Empty, Invitations, Loaded, PageHeader, Pager, UsersTable],
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
    const [query, role] = [this.query()?.slice(0, 100), this.shownRole()];
    return { query: { ...(query && { query }), ...(role && { role }), ...this.pages.query() } };
  });
  protected readonly action = new Action();
  protected readonly done = signal('');
  protected readonly roles: readonly { readonly role: Role; readonly name: string }[] = [
    { role: 'administrator', name: $localize`administrators` },
    { role: 'user', name: $localize`users` },
    { role: 'crowd', name: $localize`crowd workers` },
  ];
  private pause: ReturnType<typeof setTimeout> | undefined;

  protected search(query: string): void {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => void this.filters.set({ query }), PAUSE_MILLISECONDS);
  }

  protected chooseRole(role: string): void {
    void this.filters.set({ role });
  }

  protected async change(user: ManagedUser, change: ChangeUser): Promise<void> {
    // the storage dialog has already asked
    const isAsked = change.storageLimit !== undefined;
    if (!isAsked && !(await this.confirm.ask(questionOf(user, change)))) return;
    this.done.set('');
    const answer = await this.action.run(() => usersChange({ path: { id: user.id }, body: change }));
    if (answer) this.done.set(doneInWords(answer.data, change));
    this.users.reload();
  }
}
