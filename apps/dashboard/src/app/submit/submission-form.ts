import { Component, computed, effect, inject, input, linkedSignal, output, signal, untracked } from '@angular/core';
import { toSignal } from '@angular/core/rxjs-interop';
import { FormControl, NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { MatButtonToggle, MatButtonToggleGroup } from '@angular/material/button-toggle';
import { MatCheckbox } from '@angular/material/checkbox';
import type { Quota, Task } from '@assay/api-client/angular';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Markdown } from '../ui/index.js';
import { SubmissionAside } from './submission-aside.js';
import { kindChoices } from './kind-choices.js';
import type { SubmissionDraft } from './submission-draft.js';

/** The first step: the description of the model. */
@Component({
  selector: 'app-submission-form',
  imports: [
    FORM_FIELD,
    Markdown,
    MatButton,
    MatButtonToggle,
    MatButtonToggleGroup,
    MatCheckbox,
    ReactiveFormsModule,
    SubmissionAside,
  ],
  templateUrl: './submission-form.html',
  styleUrl: './submission-form.scss',
})
export class SubmissionForm {
  readonly task = input.required<Task>();
  readonly quota = input<Quota>();
  /** The draft to continue. */
  readonly draft = input.required<SubmissionDraft>();
  readonly changed = output<SubmissionDraft>();
  readonly done = output<SubmissionDraft>();

  protected readonly form = inject(NonNullableFormBuilder).group({
    kind: new FormControl<SubmissionDraft['kind']>('container', { nonNullable: true }),
    name: ['', [Validators.required, Validators.pattern(/\S/), Validators.maxLength(120)]],
    description: ['', Validators.maxLength(2_000)],
    card: ['', Validators.maxLength(100_000)],
    trainedOn: [''],
    derivedFrom: [''],
    command: [''],
    publish: [true],
    allowForeignEvaluators: [false],
  });
  protected readonly choices = computed(() => kindChoices(this.task()));
  protected readonly chosen = computed(() => this.choices().find(({ kind }) => kind === this.now().kind));
  protected readonly isUsedUp = computed(() => {
    const quota = this.quota();
    return !!quota && (quota.usedToday >= quota.perDay || quota.used >= quota.total);
  });
  protected readonly isRefused = computed(
    () => !!this.task().submitRefusal || this.isUsedUp() || this.chosen()?.refusal !== undefined,
  );
  protected readonly now = linkedSignal(() => this.draft());
  protected readonly cardView = signal<'write' | 'preview'>('write');
  private readonly values = toSignal(this.form.valueChanges);

  constructor() {
    effect(() => this.form.setValue(this.draft(), { emitEvent: false }));
    effect(() => {
      if (!this.values()) return;
      untracked(() => {
        this.now.set(this.form.getRawValue());
        this.changed.emit(this.now());
      });
    });
  }

  protected next(): void {
    this.form.markAllAsTouched();
    if (this.form.invalid || this.isRefused()) return;
    this.done.emit(this.form.getRawValue());
  }
}
