import { inject, Injectable } from '@angular/core';
import { Router } from '@angular/router';

/** Stores the filters of a list in the query parameters of the page, so that a link shares them. */
@Injectable({ providedIn: 'root' })
export class AddressFilters {
  private readonly router = inject(Router);

  /** Sets query parameters from `filters`. Removes those whose value is empty. */
  async set(filters: Readonly<Record<string, string>>): Promise<void> {
    const queryParams = Object.fromEntries(
      Object.entries(filters).map(([name, value]) => [name, value.trim() || null]),
    );
    await this.router.navigate([], { queryParams, queryParamsHandling: 'merge', replaceUrl: true });
  }
}
