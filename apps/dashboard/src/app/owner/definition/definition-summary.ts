import { Component, computed, inject } from '@angular/core';
import { DefinitionDraft } from '../yaml/definition-draft.js';
import { factsOf, weightsOf } from '../yaml/definition-facts.js';

/** Summarises the task that the draft defines. */
@Component({
  selector: 'app-definition-summary',
  template: `
    <dl>
      <div>
        <dt i18n>Models read</dt>
        <dd>{{ inputs() || nothing }}</dd>
      </div>
      <div>
        <dt i18n>They answer</dt>
        <dd>
          {{ facts().output.name || nothing }}
          @if (facts().output.labels.length > 0) {
            <span class="muted">({{ facts().output.labels.join(', ') }})</span>
          }
        </dd>
      </div>
      <div>
        <dt i18n>The board weighs</dt>
        <dd>{{ weights() || nothing }}</dd>
      </div>
      <div>
        <dt i18n>Perturbed versions</dt>
        <dd>
          @if (facts().perturbations.length > 0) {
            {{ facts().perturbations.join(', ') }}
          } @else {
            <ng-container i18n>none</ng-container>
          }
        </dd>
      </div>
      <div>
        <dt i18n>People</dt>
        <dd>
          @if (facts().isCollecting) {
            <ng-container i18n
              >can write examples against {{ facts().loopSize }}
              {facts().loopSize, plural, =1 {model} other {models}}</ng-container
            >
          } @else {
            <ng-container i18n>write no examples until a collection is described</ng-container>
          }
        </dd>
      </div>
    </dl>
  `,
  styles: `
    dl {
      display: grid;
      gap: 8px;
    }

    dl > div {
      display: grid;
      grid-template-columns: 130px minmax(0, 1fr);
      gap: 12px;
    }

    dt {
      color: var(--muted);
    }
  `,
})
export class DefinitionSummary {
  private readonly draft = inject(DefinitionDraft);
  protected readonly nothing = $localize`nothing yet`;
  protected readonly facts = computed(() => factsOf(this.draft.definition()));
  protected readonly inputs = computed(() =>
    this.facts()
      .inputs.map(({ name, type }) => (type === 'text' ? name : `${name} (${type})`))
      .join(', '),
  );
  protected readonly weights = computed(() =>
    Object.entries(weightsOf(this.facts()))
      .map(([metric, weight]) => `${metric} ${weight}`)
      .join(', '),
  );
}
