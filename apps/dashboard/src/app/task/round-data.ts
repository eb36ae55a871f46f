import { HttpHeaders, httpResource } from '@angular/common/http';
import { Component, computed, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import type { DatasetSummary, Round } from '@assay/api-client/angular';
import { Icon } from '../ui/layout/icon.js';
import { Loaded } from '../ui/states/loaded.js';
import { Markdown } from '../ui/text/markdown.js';
import { Numbers } from '../ui/text/numbers.js';
import { Term } from '../ui/terms/term.js';
import { releaseName } from './release-name.js';

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
  protected readonly releaseName = releaseName;
  protected readonly address = computed(() => `/api/v1/tasks/${this.slug()}/rounds/${this.round().number}`);
  protected readonly hasCard = computed(() => !this.round().imported && this.round().state === 'closed');
  protected readonly card = httpResource.text(() =>
    this.hasCard()
      ? { url: `${this.address()}/data-card`, headers: new HttpHeaders({ accept: 'text/markdown' }) }
      : undefined,
  );
}
