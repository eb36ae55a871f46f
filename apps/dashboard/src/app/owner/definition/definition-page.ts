import { Component, computed, effect, inject, signal, untracked, viewChild } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatButtonToggle, MatButtonToggleGroup } from '@angular/material/button-toggle';
import { TaskContext } from '../../task/task-context.js';
import { Action, ActionProblem, Icon, PageHeader } from '../../ui/index.js';
import { Desk } from '../desk.js';
import { definitionYaml } from '../yaml/definition-yaml.js';
import { DefinitionDraft } from '../yaml/definition-draft.js';
import { readText } from '../yaml/definition-text.js';
import { mergePatch } from '../yaml/merge-patch.js';
import { ProblemList } from '../yaml/problem-list.js';
import { YamlEditor } from '../yaml/yaml-editor.js';
import { ChangePreview } from './change-preview.js';
import { DefinitionForm } from './definition-form.js';

/** Edits the definition of a task and previews the effect before it is saved. */
@Component({
  selector: 'app-definition-page',
  imports: [
    ActionProblem,
    ChangePreview,
    DefinitionForm,
    Desk,
    Icon,
    MatButton,
    MatButtonToggle,
    MatButtonToggleGroup,
    PageHeader,
    ProblemList,
    YamlEditor,
  ],
  providers: [DefinitionDraft],
  templateUrl: './definition-page.html',
  styleUrl: './definition.scss',
})
export class DefinitionPage {
  private readonly context = inject(TaskContext);
  protected readonly draft = inject(DefinitionDraft);
  protected readonly shown = signal<'form' | 'yaml'>('yaml');
  protected readonly editor = viewChild(YamlEditor);
  protected readonly saving = new Action();
  protected readonly saved = signal(false);

  protected readonly slug = this.context.slug;
  private readonly standing = computed(() => {
    const [schema, task] = [this.draft.schema(), this.context.loaded()];
    if (!schema || !task) return undefined;
    const keys = new Set(Object.keys(schema.properties ?? {}));
    const own = Object.fromEntries(Object.entries(task).filter(([key]) => keys.has(key)));
    return definitionYaml(schema, own);
  });
  protected readonly change = computed(() => {
    const before = readText(this.standing() ?? '').definition;
    return before && this.draft.isReadable() ? mergePatch(before, this.draft.definition()) : {};
  });
  protected readonly isChanged = computed(() => Object.keys(this.change()).length > 0);

  constructor() {
    effect(() => {
      const [standing, slug] = [this.standing(), this.slug()];
      if (standing === undefined) return;
      this.draft.task.set(slug);
      untracked(() => {
        if (this.draft.text() === '') this.draft.text.set(standing);
      });
    });
  }

  protected async save(): Promise<void> {
    await this.saving.run(async () => {
      await this.context.change(this.change());
      this.saved.set(true);
      this.draft.text.set('');
    });
  }

  protected undo(): void {
    this.draft.text.set(this.standing() ?? '');
    this.saving.clear();
  }
}
