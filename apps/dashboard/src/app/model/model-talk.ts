import { Component, computed, inject, input, linkedSignal, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { type ModelAnswer, modelquestionsPredict, type Task } from '@assay/api-client/angular';
import { type Problem, problemOf } from '../session/problem.js';
import { Session } from '../session/session.js';
import { Numbers } from '../ui/text/numbers.js';
import { readPicture } from './read-picture.js';

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
  protected readonly isAsking = signal(false);
  protected readonly answer = signal<ModelAnswer | undefined>(undefined);
  protected readonly problem = signal<Problem | undefined>(undefined);
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
    if (!this.isWhole() || this.isAsking()) return;
    this.isAsking.set(true);
    this.problem.set(undefined);
    try {
      const body = { input: { ...this.values() } };
      const { data } = await modelquestionsPredict({ path: { id: this.model() }, body, throwOnError: true });
      this.answer.set(data);
    } catch (error) {
      this.answer.set(undefined);
      this.problem.set(problemOf(error));
    } finally {
      this.isAsking.set(false);
    }
  }
}
