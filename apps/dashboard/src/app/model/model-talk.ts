import { Component, computed, inject, input, linkedSignal, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { type ModelAnswer, modelquestionsPredict, type Task } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { Action, Numbers } from '../ui/index.js';

/** Lets the user try a target model on an input of their own. Nothing is stored. */
@Component({
  selector: 'app-model-talk',
  imports: [MatButton, RouterLink],
  templateUrl: './model-talk.html',
  styleUrl: './model-talk.scss',
})
export class ModelTalk {
  /** The id of the model. */
  readonly model = input.required<string>();
  readonly inputs = input.required<Task['inputs']>();

  protected readonly session = inject(Session);
  protected readonly router = inject(Router);
  protected readonly numbers = inject(Numbers);
  private readonly values = linkedSignal<string, Readonly<Record<string, unknown>>>({
    source: this.model,
    computation: () => ({}),
  });
  protected readonly action = new Action();
  protected readonly answer = signal<ModelAnswer | undefined>(undefined);
  protected readonly isWhole = computed(() => this.inputs().every(({ name }) => (this.values()[name] ?? '') !== ''));
  protected readonly probabilities = computed(() =>
    Object.entries(this.answer()?.probabilities ?? {}).toSorted(([, one], [, other]) => other - one),
  );

  protected write(name: string, value: unknown): void {
    this.values.update((values) => ({ ...values, [name]: value }));
  }

  protected writeNumber(name: string, text: string): void {
    this.write(name, text === '' ? '' : Number(text));
  }

  protected async choosePicture(name: string, event: Event): Promise<void> {
    const file = (event.target as HTMLInputElement).files?.[0];
    this.write(name, file ? await readPicture(file) : '');
  }

  protected async ask(event: Event): Promise<void> {
    event.preventDefault();
    if (!this.isWhole() || this.action.busy()) return;
    const body = { input: { ...this.values() } };
    const answer = await this.action.run(() => modelquestionsPredict({ path: { id: this.model() }, body }));
    this.answer.set(answer?.data);
  }
}

/** Returns an image in the form that the API accepts: its bytes in base64, and its media type. */
export function readPicture(file: Blob): Promise<{ readonly b64: string; readonly mediaType: string }> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = reader.result as string;
      resolve({ b64: address.slice(address.indexOf(',') + 1), mediaType: file.type });
    };
    reader.onerror = () => reject(reader.error ?? new Error('The picture cannot be read.'));
    reader.readAsDataURL(file);
  });
}
