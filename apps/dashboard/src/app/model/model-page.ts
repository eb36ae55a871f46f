import { Component, computed, inject, input } from '@angular/core';
import { modelsGetResource } from '../../client/@angular/common.gen.js';
import { CompareToggle } from '../compare/compare-toggle.js';
import { TaskContext } from '../task/task-context.js';
import { Loaded } from '../ui/loaded.js';
import { PageHeader } from '../ui/page-header.js';
import { EvaluationProgress } from './evaluation-progress.js';
import { isFinal } from './model-events.js';

/** All about one model. */
@Component({
  selector: 'app-model-page',
  imports: [CompareToggle, EvaluationProgress, Loaded, PageHeader],
  templateUrl: './model-page.html',
})
export class ModelPage {
  /** From the address. */
  readonly id = input.required<string>();

  protected readonly context = inject(TaskContext);
  protected readonly model = modelsGetResource(() => ({ path: { id: this.id() } }));
  protected readonly isUnderWay = computed(() => this.model.hasValue() && !isFinal(this.model.value().state));
}
