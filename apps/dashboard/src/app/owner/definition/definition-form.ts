import { Component, computed, inject, input } from '@angular/core';
import { MatButton, MatIconButton } from '@angular/material/button';
import { metricsFor, type OutputType } from '@assay/scoring/metrics';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Icon } from '../../ui/index.js';
import { NumberField } from '../../ui/fields/number-field.js';
import { DefinitionDraft } from '../yaml/definition-draft.js';
import { factsOf, ranksPredictions, slugOf, weightsFor } from '../yaml/definition-facts.js';
import type { DefinitionPath } from '../yaml/definition-text.js';

const OUTPUTS = ['label', 'labels', 'span', 'text', 'number'] as const satisfies readonly OutputType[];
const INPUTS = ['text', 'image', 'number'] as const;

/**
 * Edits the main part of a definition as a form. Reads from the text of the draft and writes to it.
 */
@Component({
  selector: 'app-definition-form',
  imports: [FORM_FIELD, Icon, MatButton, MatIconButton, NumberField],
  templateUrl: './definition-form.html',
  styles: `
    fieldset {
      display: grid;
      gap: 12px;
      min-width: 0;
      margin: 0;
      padding: 0;
      border: 0;
    }

    legend {
      padding: 0 0 8px;
      font-weight: 600;
    }

    .pair {
      display: grid;
      grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
      gap: 12px;
    }

    button app-icon {
      vertical-align: -4px;
    }

    .choice {
      display: flex;
      gap: 8px;
      align-items: start;

      input {
        flex: none;
        width: 18px;
        height: 18px;
        margin: 1px 0;
        accent-color: var(--accent);
      }
    }

    .input {
      display: grid;
      grid-template-columns: minmax(0, 1fr) 110px 40px;
      gap: 8px;
      align-items: start;
    }
  `,
})
export class DefinitionForm {
  /** True for an existing task, whose slug, inputs, output and performance metric cannot change. */
  readonly fixed = input(false);

  protected readonly draft = inject(DefinitionDraft);
  protected readonly facts = computed(() => factsOf(this.draft.definition()));
  protected readonly outputs = OUTPUTS;
  protected readonly inputTypes = INPUTS;
  protected readonly metrics = computed(() => {
    const { output, performance } = this.facts();
    const isKnown = (OUTPUTS as readonly string[]).includes(output.type);
    const names = isKnown ? metricsFor(output.type as OutputType).map(({ name }) => name) : [];
    return [...new Set([...names, ...(performance ? [performance] : [])])];
  });
  protected readonly ranksPredictions = computed(() => ranksPredictions(this.facts()));
  protected readonly textInputs = computed(() => this.facts().inputs.filter(({ type }) => type === 'text'));

  protected setNumber(path: DefinitionPath, written: string): void {
    if (written.trim() !== '' && Number.isFinite(Number(written))) this.draft.edit(path, Number(written));
  }

  /** Sets the name. The slug follows the name until the user edits the slug. */
  protected setName(name: string): void {
    const { slug, name: before } = this.facts();
    this.draft.edit(['name'], name);
    if (!this.fixed() && slug === slugOf(before)) this.draft.edit(['slug'], slugOf(name));
  }

  protected setOutputType(type: string): void {
    const { name, labels } = this.facts().output;
    const needed = {
      ...(type === 'label' && { labels: labels.length > 0 ? labels : ['yes', 'no'] }),
      ...(type === 'labels' && { labels: labels.length > 0 ? labels : ['one', 'other'] }),
      ...(type === 'span' && { of: this.textInputs()[0]?.name ?? 'context' }),
    };
    this.draft.edit(['output'], { name, type, ...needed });
    const [first] = metricsFor(type as OutputType);
    if (first && !this.metrics().slice(0, -1).includes(this.facts().performance)) this.setPerformance(first.name);
  }

  /** Sets the performance metric. The new metric takes over an explicit weight of the old one. */
  protected setPerformance(name: string): void {
    const { performance, weights } = this.facts();
    this.draft.edit(['performance'], name);
    if (!weights || !(performance in weights)) return;
    const renamed = Object.entries(weights).map(([metric, weight]) => [metric === performance ? name : metric, weight]);
    this.draft.edit(['weights'], Object.fromEntries(renamed));
  }

  protected rank(ranked: 'costs' | 'predictions'): void {
    this.draft.edit(['weights'], weightsFor(this.facts(), ranked));
  }

  protected setLabels(written: string): void {
    const labels = written.split(',').map((label) => label.trim());
    this.draft.edit(
      ['output', 'labels'],
      labels.filter((label) => label !== ''),
    );
  }

  protected removing(name: string): string {
    return $localize`Remove the input ${name}:name:`;
  }

  protected addInput(): void {
    const { inputs } = this.facts();
    this.draft.edit(['inputs'], [...inputs, { name: `input${inputs.length + 1}`, type: 'text' }]);
  }

  protected removeInput(index: number): void {
    this.draft.edit(
      ['inputs'],
      this.facts().inputs.filter((_, each) => each !== index),
    );
  }
}
