import { Component, computed, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { historyBenchmarkVersionsResource } from '@assay/api-client/angular';
import { Loaded, When } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';

/** The active benchmark version, with its changes. */
@Component({
  selector: 'app-benchmark-section',
  imports: [Loaded, RouterLink, Term, When],
  template: `
    <section class="stack" aria-labelledby="benchmark">
      <h2 id="benchmark" i18n>What the scores stand on</h2>
      <div *appLoaded="versions; skeleton: 2">
        @if (inForce(); as version) {
          <p i18n>
            <app-term name="benchmark_version">Benchmark version {{ version.number }}</app-term
            >, since <app-when [at]="version.createdAt" />, on
            {version.datasets.length, plural, =1 {1 dataset} other {{{ version.datasets.length }} datasets}}.
          </p>
          <ul>
            @for (change of version.changes; track $index) {
              <li>{{ change.text }}</li>
            }
          </ul>
          <a [routerLink]="['/tasks', slug(), 'data']" i18n>Datasets and earlier versions</a>
        } @else {
          <p class="muted" i18n>No data is active yet, so nothing is scored.</p>
        }
      </div>
    </section>
  `,
  styles: `
    ul {
      margin: 8px 0;
      padding-inline-start: 20px;
    }
  `,
})
export class BenchmarkSection {
  readonly slug = input.required<string>();

  protected readonly versions = historyBenchmarkVersionsResource(() => ({ path: { slug: this.slug() } }));
  protected readonly inForce = computed(() => (this.versions.hasValue() ? this.versions.value().items[0] : undefined));
}
