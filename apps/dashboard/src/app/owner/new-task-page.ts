import { Component, computed, inject, signal, viewChild } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { readytasksListResource, type Task, tasksCreate } from '@assay/api-client/angular';
import { Action, ActionProblem, Icon, PageHeader } from '../ui/index.js';
import { DefinitionForm } from './definition/definition-form.js';
import { DefinitionSummary } from './definition/definition-summary.js';
import { deskFormFields } from '../ui/fields/form-field.js';
import { DefinitionDraft, yamlBody } from './yaml/definition-draft.js';
import { ProblemList } from './yaml/problem-list.js';
import { YamlEditor } from './yaml/yaml-editor.js';

/** The definition to start from if the user chooses no ready-made task. */
const SCRATCH = `slug: my-task
name: My task
description: What a model has to do, in a sentence or two.
language: en
inputs: [{ name: text, type: text }]
output: { name: label, type: label, labels: [yes, no] }
performance: accuracy
`.replace('[yes, no]', "['yes', 'no']");

/** Creates a task, ready-made or from scratch, in a form and a YAML editor that stay in sync. */
@Component({
  selector: 'app-new-task-page',
  imports: [
    ActionProblem,
    DefinitionForm,
    DefinitionSummary,
    Icon,
    MatButton,
    PageHeader,
    ProblemList,
    RouterLink,
    YamlEditor,
  ],
  providers: [DefinitionDraft, deskFormFields],
  templateUrl: './new-task-page.html',
  styleUrl: './definition/definition.scss',
})
export class NewTaskPage {
  protected readonly draft = inject(DefinitionDraft);
  protected readonly ready = readytasksListResource(() => ({}));
  protected readonly beginning = signal('');
  protected readonly choices = computed(() => [
    { slug: '', name: $localize`From scratch`, yaml: SCRATCH },
    ...(this.ready.hasValue() ? this.ready.value().items : []),
  ]);
  protected readonly creation = new Action();
  protected readonly made = signal<Task | undefined>(undefined);
  protected readonly editor = viewChild(YamlEditor);

  constructor() {
    this.draft.text.set(SCRATCH);
  }

  protected begin(slug: string, yaml: string): void {
    this.beginning.set(slug);
    this.draft.text.set(yaml);
    this.creation.clear();
  }

  protected async create(): Promise<void> {
    const made = await this.creation.run(() => tasksCreate({ ...yamlBody(this.draft.text()) }));
    if (made) this.made.set(made.data);
  }
}
