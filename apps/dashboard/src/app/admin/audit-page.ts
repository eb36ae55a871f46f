import { Component, computed, inject, input, linkedSignal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { type AuditAction, type AuditEntry, auditList, auditListResource } from '@assay/api-client/angular';
import { Action, ActionProblem, Empty, Loaded, Numbers, PageHeader } from '../ui/index.js';
import { Session } from '../session/session.js';
import { AddressFilters } from './address-filters.js';
import { AuditTable } from './audit-table.js';
import { ACTION_NAMES, actionOf } from './audit-words.js';

const ENTRIES = 50;

/** The audit log, newest entry first. */
@Component({
  selector: 'app-audit-page',
  imports: [ActionProblem, AuditTable, Empty, Loaded, MatButton, PageHeader, RouterLink],
  templateUrl: './audit-page.html',
  styleUrl: './filters.scss',
})
export class AuditPage {
  /** `actor`, `action` and `subject` are query parameters. */
  readonly actor = input<string>();
  readonly action = input<string>();
  readonly subject = input<string>();

  protected readonly session = inject(Session);
  protected readonly numbers = inject(Numbers);
  private readonly address = inject(AddressFilters);
  private readonly which = computed(() => {
    const [actor, action, subject] = [this.actor()?.slice(0, 100), actionOf(this.action()), this.subject()];
    return { limit: ENTRIES, ...(actor && { actor }), ...(action && { action }), ...(subject && { subject }) };
  });
  protected readonly first = auditListResource(() => ({ query: this.which() }));
  protected readonly list = growingList<AuditEntry>(() => (this.first.hasValue() ? this.first.value() : undefined));
  protected readonly reading = new Action();
  protected readonly isFiltered = computed(() => Object.keys(this.which()).length > 1);
  protected readonly actions = Object.entries(ACTION_NAMES) as readonly (readonly [AuditAction, string])[];

  protected filter(name: 'actor' | 'action' | 'subject', event: Event): void {
    void this.address.set({ [name]: (event.target as HTMLInputElement | HTMLSelectElement).value });
  }

  protected more(): void {
    void this.reading.run(() =>
      this.list.more(async (cursor) => {
        const { data } = await auditList({ query: { ...this.which(), cursor } });
        return data;
      }),
    );
  }
}

/** A page of a list with cursor pagination. */
export interface CursorPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** A list that grows page by page. It restarts when its first page changes. */
export function growingList<T>(first: () => CursorPage<T> | undefined) {
  const page = linkedSignal(first);
  return {
    /** All items loaded so far. Undefined before the first page. */
    page: page.asReadonly(),
    /** Loads the next page and appends it, unless the list has restarted in the meantime. */
    async more(read: (cursor: string) => Promise<CursorPage<T>>): Promise<void> {
      const before = page();
      if (before?.nextCursor === undefined) return;
      const { items, nextCursor } = await read(before.nextCursor);
      if (page() !== before) return;
      page.set({ items: [...before.items, ...items], ...(nextCursor !== undefined && { nextCursor }) });
    },
  };
}
