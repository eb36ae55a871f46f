import { Component, computed, debounced, inject, linkedSignal, resource, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatFormField, MatHint, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { RouterLink } from '@angular/router';
import {
  type DatasetCheck,
  type DatasetPut,
  datasetsCheck,
  datasetsPut,
  type PutDatasetQuery,
} from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { Icon } from '../../ui/layout/icon.js';
import { Loaded } from '../../ui/states/loaded.js';
import { Numbers } from '../../ui/text/numbers.js';
import { Action } from '../../ui/states/action.js';
import { ActionProblem } from '../../ui/states/action-problem.js';
import { Desk } from '../desk.js';
import { FileDrop } from '../../ui/fields/file-drop.js';
import { NumberField } from '../../ui/fields/number-field.js';
import { DATASET_EXTENSIONS, datasetName, datasetType } from './dataset-file.js';
import { FirstExamples } from './first-examples.js';

const PAUSE = 300;

/**
 * Uploads a dataset. The service first checks the file and reports its content and invalid lines.
 */
@Component({
  selector: 'app-dataset-upload',
  imports: [
    ActionProblem,
    Desk,
    FileDrop,
    FirstExamples,
    Icon,
    Loaded,
    MatButton,
    MatFormField,
    MatHint,
    MatInput,
    MatLabel,
    NumberField,
    RouterLink,
  ],
  templateUrl: './dataset-upload.html',
  styleUrl: './dataset-upload.scss',
})
export class DatasetUpload {
  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly extensions = DATASET_EXTENSIONS;
  protected readonly putting = new Action();
  protected readonly put = signal<DatasetPut | undefined>(undefined);

  protected readonly file = signal<File | undefined>(undefined);
  protected readonly name = linkedSignal(() => datasetName(this.file()?.name ?? ''));
  protected readonly role = signal<'static' | 'round'>('static');
  protected readonly round = signal(1);
  protected readonly use = signal<'scoring' | 'reporting'>('scoring');
  protected readonly visibility = signal<'hidden' | 'inputs' | 'public'>('hidden');

  protected readonly existing = computed(() =>
    this.context.task.hasValue()
      ? this.context.task.value().datasets.find(({ name }) => name === this.name())
      : undefined,
  );
  private readonly asked = debounced(
    () => ({ file: this.file(), name: this.name(), slug: this.context.slug() }),
    PAUSE,
  );
  protected readonly check = resource({
    params: () => {
      const asked = this.asked.hasValue() ? this.asked.value() : undefined;
      return asked?.file && asked.name ? { ...asked, file: asked.file } : undefined;
    },
    loader: async ({ params: { file, name, slug } }): Promise<DatasetCheck> =>
      (await datasetsCheck({ path: { slug, name }, ...fileBody(file), throwOnError: true })).data,
  });
  protected readonly isValid = computed(
    () => this.check.hasValue() && !this.check.isLoading() && this.check.value().valid,
  );
  protected readonly labels = computed(() =>
    this.check.hasValue() ? Object.entries(this.check.value().labels ?? {}) : [],
  );

  protected choose(file: File | undefined): void {
    this.file.set(file);
    this.put.set(undefined);
    this.putting.clear();
  }

  protected async send(): Promise<void> {
    const file = this.file();
    if (!file) return;
    const path = { slug: this.context.slug(), name: this.name() };
    const sent = await this.putting.run(() =>
      datasetsPut({ path, query: this.query(), ...fileBody(file), throwOnError: true }),
    );
    if (!sent) return;
    this.file.set(undefined);
    this.put.set(sent.data);
    this.context.task.reload();
  }

  /**
   * Returns the query of the upload. Role, use, visibility and round are sent only for a new
   * dataset.
   */
  private query(): PutDatasetQuery {
    if (this.existing()) return {};
    const round = this.role() === 'round' ? { round: this.round() } : {};
    return { role: this.role(), use: this.use(), visibility: this.visibility(), ...round };
  }
}

const fileBody = (file: File) => ({
  body: file,
  bodySerializer: null,
  headers: { 'Content-Type': datasetType(file.name) },
});
