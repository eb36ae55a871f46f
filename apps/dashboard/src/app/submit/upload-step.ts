import { HttpClient } from '@angular/common/http';
import { Component, computed, inject, input, output, signal } from '@angular/core';
import { rxResource } from '@angular/core/rxjs-interop';
import { MatButton } from '@angular/material/button';
import type { Task } from '@assay/api-client/angular';
import { problemOf } from '../session/problem.js';
import { Icon, Numbers } from '../ui/index.js';
import { type ArtifactProblem, artifactProblem, seemingKind } from './artifact-check.js';
import { earlierUpload, isSameFile } from './earlier-upload.js';
import { kindChoices, type ModelKind } from './kind-choices.js';
import { UploadProgress } from './upload-progress.js';
import { Uploads } from './artifact-upload.js';

/** The second step: chooses and uploads the file. */
@Component({
  selector: 'app-upload-step',
  imports: [Icon, MatButton, UploadProgress],
  templateUrl: './upload-step.html',
  styleUrl: './upload-step.scss',
  host: { '(dragover)': 'over($event)', '(dragleave)': 'isOver.set(false)', '(drop)': 'drop($event)' },
})
export class UploadStep {
  readonly task = input.required<Task>();
  readonly kind = input.required<ModelKind>();
  /** The id of the model, once it is registered. */
  readonly model = input<string>();
  /**
   * Registers the model with the service.
   * @returns The id of the model.
   */
  readonly announce = input.required<() => Promise<string>>();
  /** Emits the kind that fits the chosen file better. */
  readonly kindChange = output<ModelKind>();

  private readonly http = inject(HttpClient);
  private readonly uploads = inject(Uploads);
  protected readonly numbers = inject(Numbers);
  protected readonly isOver = signal(false);
  protected readonly isBusy = signal(false);
  /** The chosen file, while it is not being uploaded. */
  protected readonly file = signal<File | null>(null);
  protected readonly problem = signal<ArtifactProblem | 'folder' | 'other_file' | null>(null);
  protected readonly refusal = signal<string | null>(null);
  protected readonly upload = computed(() => this.uploads.of(this.model()));
  protected readonly choice = computed(() => this.choiceOf(this.kind()));
  protected readonly earlier = rxResource({
    params: () => (this.upload() ? undefined : this.model()),
    stream: ({ params }) => earlierUpload(this.http, params),
  });

  protected choiceOf(kind: ModelKind) {
    return kindChoices(this.task()).find((each) => each.kind === kind)!;
  }

  protected over(event: DragEvent): void {
    // otherwise the browser would navigate to the file
    event.preventDefault();
    this.isOver.set(true);
  }

  protected async drop(event: DragEvent): Promise<void> {
    event.preventDefault();
    this.isOver.set(false);
    const [item] = event.dataTransfer?.items ?? [];
    const [file] = event.dataTransfer?.files ?? [];
    if (item?.webkitGetAsEntry()?.isDirectory) {
      this.file.set(null);
      this.problem.set('folder');
    } else if (file) await this.choose(file);
  }

  protected async pick(input: HTMLInputElement): Promise<void> {
    const [file] = input.files ?? [];
    // so that the same file can be chosen again
    input.value = '';
    if (file) await this.choose(file);
  }

  /** Checks a file and uploads it if there is no problem. */
  protected async choose(file: File): Promise<void> {
    if (this.isBusy() || this.upload()?.state() === 'sending') return;
    this.isBusy.set(true);
    this.file.set(file);
    this.refusal.set(null);
    try {
      const seems = await seemingKind(file, file.name);
      this.problem.set(artifactProblem(file.size, seems, this.kind(), this.task().limits.artifact) ?? this.other(file));
      if (this.problem() === null) await this.send(file);
    } catch {
      this.refusal.set($localize`The browser can’t read this file. Choose it again.`);
    } finally {
      this.isBusy.set(false);
    }
  }

  /** Changes to the detected kind and uploads the file. */
  protected async sendAs(kind: ModelKind, file: File): Promise<void> {
    this.kindChange.emit(kind);
    await this.send(file);
  }

  protected async send(file: File): Promise<void> {
    this.problem.set(null);
    this.refusal.set(null);
    try {
      const model = this.model() ?? (await this.announce()());
      const earlier = this.earlier.hasValue() ? this.earlier.value() : null;
      this.uploads.begin(model, file, earlier && isSameFile(file, earlier) ? earlier : null);
      this.file.set(null);
    } catch (error) {
      this.refusal.set(problemOf(error).detail);
    }
  }

  private other(file: File): 'other_file' | null {
    const earlier = this.earlier.hasValue() ? this.earlier.value() : null;
    return earlier && !isSameFile(file, earlier) ? 'other_file' : null;
  }
}
