import { Component, computed, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { AuditEntry } from '@assay/api-client/angular';
import { When } from '../ui/index.js';
import { ACTION_NAMES, SUBJECT_NAMES } from './audit-words.js';
import { changedFacts, FactList } from './fact-list.js';

/** The number of facts shown at first. The others open on demand. */
const FIRST_FACTS = 4;

/** Entries of the audit log. An actor or a subject links to the log filtered by it. */
@Component({
  selector: 'app-audit-table',
  imports: [FactList, RouterLink, When],
  templateUrl: './audit-table.html',
  styles: `
    td {
      min-width: 100px;
    }

    td a {
      overflow-wrap: anywhere;
    }

    .facts {
      min-width: 240px;
      overflow-wrap: anywhere;
    }

    .when {
      white-space: nowrap;
    }

    .kind {
      display: block;
    }

    summary {
      padding: 4px 0;
      color: var(--muted);
      cursor: pointer;
    }
  `,
})
export class AuditTable {
  readonly entries = input.required<readonly AuditEntry[]>();

  protected readonly actions = ACTION_NAMES;
  protected readonly kinds = SUBJECT_NAMES;
  protected readonly rows = computed(() =>
    this.entries().map((entry) => {
      const facts = changedFacts(entry.from, entry.to);
      return { entry, first: facts.slice(0, FIRST_FACTS), others: facts.slice(FIRST_FACTS) };
    }),
  );
}
