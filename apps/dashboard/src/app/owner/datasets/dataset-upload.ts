import { Component, computed, debounced, inject, linkedSignal, resource, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import {
  type DatasetCheck,
  type DatasetPut,
  datasetsCheck,
  datasetsPut,
  type PutDatasetQuery,
} from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { FileDrop } from '../../ui/fields/file-drop.js';
import { Action, ActionProblem, Icon, Loaded, Numbers } from '../../ui/index.js';
import { Desk } from '../desk.js';
import { NumberField } from '../../ui/fields/number-field.js';
import { FirstExamples } from './first-examples.js';
import { slugOf } from '../yaml/definition-facts.js';

const PAUSE = 300;

/**
 * Uploads a dataset. The service first checks the file and reports its content and invalid lines.
 */
@Component({
  selector: 'app-dataset-upload',
  imports: [ActionProblem, Desk, FileDrop, FirstExamples, FORM_FIELD, Icon, Loaded, MatButton, NumberField, RouterLink],
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
    this.context.loaded()?.datasets.find(({ name }) => name === this.name()),
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
      (await datasetsCheck({ path: { slug, name }, ...fileBody(file) })).data,
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
    await this.putting.run(async () => {
      const path = { slug: this.context.slug(), name: this.name() };
      this.put.set((await datasetsPut({ path, query: this.query(), ...fileBody(file) })).data);
      this.file.set(undefined);
      this.context.task.reload();
    });
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

const TYPES: Readonly<Record<string, string>> = {
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  json: 'application/json',
};

/** The extensions of dataset files, as the value of an `accept` attribute. */
const DATASET_EXTENSIONS = Object.keys(TYPES)
  .map((extension) => `.${extension}`)
  .join(',');

/** Returns the media type of a dataset file by its extension. Defaults to JSON Lines. */
export const datasetType = (fileName: string): string =>
  TYPES[/\.([a-z]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''] ?? 'application/x-ndjson';

/** Suggests a dataset name from a file name. */
export const datasetName = (fileName: string): string => slugOf(fileName.replace(/\.[a-z]+$/i, ''));
