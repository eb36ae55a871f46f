import { Component, computed, inject, input, linkedSignal, output, signal, viewChild } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { type PatchRound, type Round, roundsChange, roundsClose, type TurningRule } from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Action, ActionProblem, Numbers } from '../../ui/index.js';
import { Desk } from '../desk.js';
import { isSame } from '../yaml/merge-patch.js';
import { LinesUpload } from './lines-upload.js';
import { RoundContexts } from './round-contexts.js';
import { TurningFields } from './turning-fields.js';

/** The desk of an open round: its content, closing rule and contexts, and the closing itself. */
@Component({
  selector: 'app-round-desk',
  imports: [ActionProblem, Desk, FORM_FIELD, LinesUpload, MatButton, RoundContexts, RouterLink, TurningFields],
  templateUrl: './round-desk.html',
  styleUrl: './round-desk.scss',
})
export class RoundDesk {
  readonly round = input.required<Round>();
  readonly changed = output();

  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly saving = new Action();
  protected readonly ending = new Action();
  protected readonly isEnding = signal(false);
  protected readonly pending = signal<'leave' | 'await'>('leave');
  protected readonly contexts = viewChild(RoundContexts);
  protected readonly description = linkedSignal(() => this.round().description);
  protected readonly turn = linkedSignal<TurningRule>(() => this.round().turn ?? {});
  protected readonly opensNext = computed(() => this.context.loaded()?.collection?.next === 'open');
  private readonly change = computed<PatchRound>(() => ({
    ...(this.description() !== this.round().description && { description: this.description() }),
    ...(!isSame(this.turn(), this.round().turn ?? {}) && { turn: this.turn() }),
  }));
  protected readonly isChanged = computed(() => Object.keys(this.change()).length > 0);
  /** True if saving would close the round at once, because a bound is already reached. */
  protected readonly closesAtOnce = computed(() => {
    const { examples, validated } = this.turn();
    const { counts } = this.round();
    return (
      (examples !== undefined && counts.examples >= examples) ||
      (validated !== undefined && counts.validated >= validated)
    );
  });

  private path(): { slug: string; number: string } {
    return { slug: this.context.slug(), number: String(this.round().number) };
  }

  protected async save(): Promise<void> {
    await this.saving.run(async () => {
      await roundsChange({ path: this.path(), body: this.change() });
      this.changed.emit();
    });
  }

  protected async close(): Promise<void> {
    await this.ending.run(async () => {
      await roundsClose({ path: this.path(), body: { pending: this.pending() } });
      this.context.task.reload();
      this.changed.emit();
    });
  }

  protected linesPut(): void {
    this.contexts()?.reload();
    this.changed.emit();
  }
}
