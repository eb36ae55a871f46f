import { Component, computed, inject, input, linkedSignal, output } from '@angular/core';
import { MatButton } from '@angular/material/button';
import {
  datasetexportsListResource,
  datasetsChange,
  type DatasetSummary,
  type PatchDataset,
} from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Action, ActionProblem, Loaded, Numbers, When } from '../../ui/index.js';
import { isSame } from '../yaml/merge-patch.js';

/** The versions of a dataset, and the settings that can change without a new version. */
@Component({
  selector: 'app-dataset-details',
  imports: [ActionProblem, FORM_FIELD, Loaded, MatButton, When],
  templateUrl: './dataset-details.html',
  styles: `
    ul {
      padding-inline-start: 18px;
    }

    .halves {
      display: grid;
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr));
      gap: 32px;
    }
  `,
})
export class DatasetDetails {
  readonly dataset = input.required<DatasetSummary>();
  readonly closed = output();

  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly saving = new Action();
  protected readonly visibility = linkedSignal(() => this.dataset().visibility);
  protected readonly against = linkedSignal(() => this.dataset().against.join('\n'));
  protected readonly publicSince = linkedSignal(() => this.dataset().publicSince?.slice(0, 10) ?? '');
  protected readonly inputsUntil = linkedSignal(() => this.dataset().inputsUntil?.slice(0, 10) ?? '');
  protected readonly isMeasured = computed(() => this.dataset().human?.source === null);
  protected readonly human = linkedSignal(() => humanLines(this.dataset()));
  protected readonly source = linkedSignal(() => this.dataset().human?.source ?? '');
  protected readonly versions = datasetexportsListResource(() => ({
    path: { slug: this.context.slug(), name: this.dataset().name },
  }));

  private readonly models = computed(() =>
    this.against()
      .split(/[\s,]+/)
      .filter((id) => id !== ''),
  );
  private readonly change = computed<PatchDataset>(() => {
    const { visibility, against, publicSince, inputsUntil, human } = this.dataset();
    const since = this.publicSince() === '' ? null : `${this.publicSince()}T00:00:00Z`;
    return {
      ...(this.visibility() !== visibility && { visibility: this.visibility() }),
      ...(!isSame(this.models(), against) && { against: this.models() }),
      ...((publicSince?.slice(0, 10) ?? '') !== this.publicSince() && { publicSince: since }),
      ...((inputsUntil?.slice(0, 10) ?? '') !== this.inputsUntil() && {
        inputsUntil: this.inputsUntil() === '' ? null : `${this.inputsUntil()}T23:59:59Z`,
      }),
      ...((this.human() !== humanLines(this.dataset()) || this.source() !== (human?.source ?? '')) && {
        human: humanOf(this.human(), this.source()),
      }),
    };
  });
  protected readonly isChanged = computed(() => Object.keys(this.change()).length > 0);
  /** The consequences of saving, one sentence each. */
  protected readonly consequences = computed(() => consequencesOf(this.dataset(), this.change()));

  protected async save(): Promise<void> {
    const path = { slug: this.context.slug(), name: this.dataset().name };
    const saved = await this.saving.run(() => datasetsChange({ path, body: this.change() }));
    if (saved) this.context.task.reload();
  }

  protected address(version: number): string {
    return `/api/v1/tasks/${this.context.slug()}/datasets/${this.dataset().name}/versions/${version}/content`;
  }
}

/** Returns the human figures of a dataset as lines of a metric and its value. */
const humanLines = ({ human }: DatasetSummary): string =>
  Object.entries(human?.metrics ?? {})
    .map(([name, { value }]) => `${name} ${value}`)
    .join('\n');

/** Reads such lines. The service refuses values that are not numbers. */
function humanOf(text: string, source: string): PatchDataset['human'] {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split(/[\s:=]+/)]));
  if (lines.length === 0) return null;
  return { source, metrics: Object.fromEntries(lines.map(([name = '', value]) => [name, { value: Number(value) }])) };
}

const OPENNESS = ['hidden', 'inputs', 'public'] as const;

function consequencesOf(
  before: DatasetSummary,
  { visibility, against, publicSince, inputsUntil, human }: PatchDataset,
): readonly string[] {
  const isOpened = visibility !== undefined && OPENNESS.indexOf(visibility) > OPENNESS.indexOf(before.visibility);
  return [
    ...(isOpened
      ? [
          $localize`Everybody can read it from now on, and models submitted later are marked as exposed to it. This cannot be undone.`,
        ]
      : []),
    ...(visibility !== undefined && !isOpened
      ? [$localize`From now on nobody else can read it. People who have read it still know it, and models stay marked.`]
      : []),
    ...(against
      ? [
          $localize`Figures of these models on it are hatched on the board, and fitted from their others where the task says so.`,
        ]
      : []),
    ...(publicSince !== undefined ? [$localize`Models submitted after that day are marked as exposed to it.`] : []),
    ...(typeof inputsUntil === 'string'
      ? [
          $localize`Until the end of that day, the people on the list of submitters can read ids and inputs, and add predictions to their models. The audit log records who reads them.`,
        ]
      : []),
    ...(inputsUntil === null
      ? [$localize`From now on submitters can’t read it. People who have read it still know it.`]
      : []),
    ...(human !== undefined
      ? [$localize`The board compares models with people on it, and the saturation of the task changes.`]
      : []),
  ];
}
