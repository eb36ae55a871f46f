import { Component, computed, debounced, inject, linkedSignal, signal } from '@angular/core';
import { MatDialogRef } from '@angular/material/dialog';
import { Router } from '@angular/router';
import { searchFindResource, type SearchResults } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { Icon } from '../ui/index.js';
import { actionsFor, type SearchHit, searchGroups } from './search-hits.js';

const PAUSE_MILLISECONDS = 120;

/**
 * Finds tasks, models, people and actions by a part of their name. The arrow keys select a result;
 * Enter opens it.
 */
@Component({
  selector: 'app-search-palette',
  imports: [Icon],
  templateUrl: './search-palette.html',
  styleUrl: './search-palette.scss',
})
export class SearchPalette {
  private readonly dialog = inject<MatDialogRef<SearchPalette>>(MatDialogRef);
  private readonly router = inject(Router);
  private readonly session = inject(Session);

  protected readonly query = signal('');
  private readonly asked = debounced(this.query, PAUSE_MILLISECONDS);
  protected readonly found = searchFindResource(() => {
    const q = this.asked.value().trim();
    return q === '' ? undefined : { query: { q } };
  });
  private readonly last = linkedSignal<SearchResults | undefined, SearchResults | undefined>({
    source: () => (this.found.hasValue() ? this.found.value() : undefined),
    // shows the previous results until the next ones arrive
    computation: (now, previous) => now ?? (this.query().trim() === '' ? undefined : previous?.value),
  });
  protected readonly groups = computed(() => searchGroups(this.query(), actionsFor(this.session.user()), this.last()));
  protected readonly hits = computed(() => this.groups().flatMap(({ hits }) => hits));
  protected readonly active = linkedSignal({ source: this.hits, computation: () => 0 });

  protected onKey(event: KeyboardEvent): void {
    const { length } = this.hits();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && length > 0) {
      event.preventDefault();
      this.active.update((before) => (before + step + length) % length);
      document.getElementById(`hit-${this.active()}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      const hit = this.hits()[this.active()];
      if (hit) this.go(hit);
    }
  }

  protected go(hit: SearchHit): void {
    this.dialog.close();
    void this.router.navigateByUrl(hit.address);
  }
}
