import { HttpHeaders, httpResource } from '@angular/common/http';
import { Component, computed, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import type { DatasetSummary, Round } from '@assay/api-client/angular';
import { Icon, Loaded, Markdown, Numbers } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';

/** The name and purpose of each part of a round's data. */
const RELEASE_NAMES: Readonly<Record<Round['releases'][number]['part'], string>> = {
  train: $localize`train, to train models on; never evaluated`,
  dev: $localize`dev, public, to look at`,
  test: $localize`test, hidden, decides ranks`,
  fooling: $localize`fooling, what of test fooled its model`,
};

/** The datasets of a closed round: its parts with downloads, and its data card. */
@Component({
  selector: 'app-round-data',
  imports: [Icon, Loaded, Markdown, MatButton, RouterLink, Term],
  templateUrl: './round-data.html',
  styleUrl: './round-data.scss',
})
export class RoundData {
  readonly slug = input.required<string>();
  readonly round = input.required<Round>();
  /** The datasets of the round. */
  readonly files = input.required<readonly DatasetSummary[]>();

  protected readonly numbers = inject(Numbers);
  protected readonly releaseNames = RELEASE_NAMES;
  protected readonly address = computed(() => `/api/v1/tasks/${this.slug()}/rounds/${this.round().number}`);
  protected readonly hasCard = computed(() => !this.round().imported && this.round().state === 'closed');
  protected readonly card = httpResource.text(() =>
    this.hasCard()
      ? { url: `${this.address()}/data-card`, headers: new HttpHeaders({ accept: 'text/markdown' }) }
      : undefined,
  );
}
