import {
  afterRenderEffect,
  Component,
  computed,
  effect,
  ElementRef,
  inject,
  input,
  linkedSignal,
  signal,
  viewChildren,
} from '@angular/core';
import { takeUntilDestroyed } from '@angular/core/rxjs-interop';
import { MatButton } from '@angular/material/button';
import { Router } from '@angular/router';
import { modelsGetResource, modelsSubmit, quotaQuotaResource, type Task } from '@assay/api-client/angular';
import { TaskContext } from '../task/task-context.js';
import { Empty, Loaded, Numbers, PageHeader } from '../ui/index.js';
import { EvaluationStep } from './evaluation-step.js';
import { kindChoices, type ModelKind } from './kind-choices.js';
import { keepDraft, readDraft, type SubmissionDraft, submissionOf } from './submission-draft.js';
import { SubmissionForm } from './submission-form.js';
import { UploadStep } from './upload-step.js';
import { Uploads } from './artifact-upload.js';

/**
 * Guides a submission from the description to the rank, in three steps: describe, upload, evaluate.
 */
@Component({
  selector: 'app-submit-page',
  imports: [Empty, EvaluationStep, Loaded, MatButton, PageHeader, SubmissionForm, UploadStep],
  templateUrl: './submit-page.html',
  styleUrl: './submit-page.scss',
})
export class SubmitPage {
  /** The id of the model whose submission continues, from the query string. */
  readonly model = input<string>();

  private readonly router = inject(Router);
  private readonly uploads = inject(Uploads);
  private readonly headings = viewChildren<ElementRef<HTMLElement>>('heading');
  protected readonly numbers = inject(Numbers);
  protected readonly context = inject(TaskContext);
  protected readonly draft = linkedSignal<SubmissionDraft>(() => readDraft(this.context.slug()));
  protected readonly isDescribed = signal(false);
  protected readonly quota = quotaQuotaResource(this.context.path);
  protected readonly submitted = modelsGetResource(() => {
    const id = this.model();
    return id === undefined ? undefined : { path: { id } };
  });
  /** The last known state of the model. Remains available while the model is reloaded. */
  protected readonly known = computed(() =>
    this.model() !== undefined && this.submitted.hasValue() ? this.submitted.value() : undefined,
  );
  protected readonly quotaNow = computed(() => (this.quota.hasValue() ? this.quota.value() : undefined));
  protected readonly step = computed<1 | 2 | 3>(() => {
    if (this.model() === undefined) return this.isDescribed() ? 2 : 1;
    const known = this.known();
    return known && known.state !== 'awaiting-artifact' ? 3 : 2;
  });
  protected readonly title = computed(() => this.known()?.name ?? this.draft().name.trim());
  protected readonly kind = computed<ModelKind>(() => this.known()?.kind ?? this.draft().kind);

  constructor() {
    this.uploads.arrived.pipe(takeUntilDestroyed()).subscribe((id) => {
      if (id === this.model()) this.refresh();
    });
    let before: number | undefined;
    afterRenderEffect(() => {
      const step = this.step();
      // the element that had the focus has disappeared with its step
      if (before !== undefined && step !== before) this.headings()[step - 1]?.nativeElement.focus();
      before = step;
    });
    effect(() => {
      // a new submission starts at the first step
      if (this.model() === undefined) this.isDescribed.set(false);
    });
  }

  protected kindName(task: Task): string {
    return kindChoices(task).find(({ kind }) => kind === this.kind())!.name;
  }

  protected keep(draft: SubmissionDraft): void {
    keepDraft(this.context.slug(), draft);
  }

  protected described(draft: SubmissionDraft): void {
    this.draft.set(draft);
    this.keep(draft);
    this.isDescribed.set(true);
  }

  protected changeKind(kind: ModelKind): void {
    this.described({ ...this.draft(), kind });
  }

  /** Registers the model with the service. The page URL then identifies this submission. */
  protected readonly announce = async (): Promise<string> => {
    const path = { slug: this.context.slug() };
    const { data } = await modelsSubmit({ path, body: submissionOf(this.draft()) });
    await this.router.navigate([], { queryParams: { model: data.id }, replaceUrl: true });
    return data.id;
  };

  protected refresh(): void {
    this.submitted.reload();
    this.quota.reload();
  }
}
