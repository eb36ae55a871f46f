import { Component } from '@angular/core';
import { PageHeader } from '../../ui/index.js';
import { DatasetList } from './dataset-list.js';
import { DatasetUpload } from './dataset-upload.js';

/** The datasets of a task, with a form to upload more. */
@Component({
  selector: 'app-datasets-page',
  imports: [DatasetList, DatasetUpload, PageHeader],
  template: `
    <app-page-header
      i18n-title
      title="Datasets"
      i18n-lead
      lead="What models are evaluated on. The bytes of a version never change; putting others under its name makes the next version."
    />
    <div class="stack">
      <app-dataset-upload />
      <app-dataset-list />
    </div>
  `,
  styles: `
    .stack {
      gap: 40px;
    }
  `,
})
export class DatasetsPage {}
