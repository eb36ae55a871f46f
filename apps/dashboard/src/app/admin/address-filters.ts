import { inject, Injectable } from '@angular/core';
import { Router } from '@angular/router';

/** Filters of a list are in its address, so that it can be shared. */
@Injectable({ providedIn: 'root' })
export class AddressFilters {
  private readonly router = inject(Router);

  /** Puts what was chosen into the address; what is empty leaves it. */
  async set(filters: Readonly<Record<string, string>>): Promise<void> {
    const queryParams = Object.fromEntries(
      Object.entries(filters).map(([name, value]) => [name, value.trim() || null]),
    );
    await this.router.navigate([], { queryParams, queryParamsHandling: 'merge', replaceUrl: true });
  }
}
