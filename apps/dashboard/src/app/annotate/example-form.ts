import { CdkTextareaAutosize } from '@angular/cdk/text-field';
import { Component, computed, ElementRef, inject, input, signal, viewChild } from '@angular/core';
import { MatButton } from '@angular/material/button';
import type { GivenLabel, Task, TaskInput } from '@assay/api-client/angular';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Numbers } from '../ui/index.js';
import { ExampleWork } from './example-work.js';
import { ContextFields } from './form/context-fields.js';
import { LabelField } from './form/label-field.js';
import { SpanField } from './form/span-field.js';
import type { Span } from './span.js';
import { charactersOf, lackingOf, spanTextOf } from './writing.js';

/** The parts of a task that the form shows. */
export interface FormTask extends Pick<Task, 'language' | 'output'> {
  readonly inputs: readonly Pick<TaskInput, 'name'>[];
}

/**
 * The form in which an annotator writes an example, with its context. Projects the task's own
 * questions, if they are asked before the models answer, and further buttons.
 */
@Component({
  selector: 'app-example-form',
  imports: [CdkTextareaAutosize, ContextFields, FORM_FIELD, LabelField, MatButton, SpanField],
  templateUrl: './example-form.html',
  styleUrl: './example-form.scss',
})
export class ExampleForm {
  readonly task = input.required<FormTask>();
  /** False if the page has no digit keys for the labels. */
  readonly hasKeys = input(true);

  // read directly, not through inputs: keys may arrive before the page is rendered again
  private readonly work = inject(ExampleWork);
  private readonly host = inject<ElementRef<HTMLElement>>(ElementRef);
  private readonly labels = viewChild(LabelField);
  private readonly span = viewChild(SpanField);
  protected readonly numbers = inject(Numbers);
  protected readonly lacking = signal('');
  protected readonly given = computed(() => this.work.given()!);
  protected readonly draft = computed(() => this.work.draft()!);
  protected readonly asking = this.work.asking;
  protected readonly rules = computed(() => this.given().rules);
  protected readonly written = computed(() => {
    const [first = '', ...more] = this.rules().written;
    if (more.length > 0) return [first, ...more].join(', ');
    return /^[aeiou]/i.test(first) ? $localize`an ${first}:name:` : $localize`a ${first}:name:`;
  });
  protected readonly spanText = computed(() => spanTextOf(this.draft(), this.given()));
  protected readonly spanName = computed(() => (this.rules().span === undefined ? [] : [this.rules().span!]));
  protected readonly choosesLabel = computed(() => this.rules().span === undefined && this.given().goal === null);
  protected readonly problem = computed(() => this.lacking() || this.work.problemText());

  /** Sends the example, or names the first field that is not complete and focuses it. */
  submit(): void {
    const lacking = lackingOf(this.draft(), this.given(), this.task().output.name);
    this.lacking.set(lacking?.why ?? '');
    if (!lacking) void this.work.send();
    else this.focusOn(lacking.field);
  }

  /** Focuses the first field that is not complete, or the first field. */
  focus(): void {
    const [first] = this.rules().written;
    this.focusOn(lackingOf(this.draft(), this.given(), this.task().output.name)?.field ?? first ?? '');
  }

  choose(index: number): void {
    if (this.choosesLabel()) this.labels()?.choose(index);
  }

  protected write(name: string, text: string): void {
    this.lacking.set('');
    const input = { ...this.draft().input, [name]: text };
    // a span that was marked in the text no longer fits it
    this.work.change({ input, ...(name === this.rules().span && { span: null }) });
  }

  protected label(label: GivenLabel | null): void {
    this.lacking.set('');
    this.work.change({ label });
  }

  protected mark(span: Span | null): void {
    this.lacking.set('');
    this.work.change({ span });
  }

  protected startFromPrompt(prompt: string): void {
    const [first] = this.rules().written;
    if (first !== undefined) this.write(first, prompt);
    this.focus();
  }

  protected readonly count = (name: string): string =>
    $localize`${this.numbers.count(charactersOf(this.draft().input[name] ?? ''))}:count: of ${this.numbers.count(this.rules().length.longest)}:most: characters`;

  private focusOn(field: string): void {
    if (field === this.rules().span) this.span()?.focus();
    else if (field === this.task().output.name) this.labels()?.focus();
    else this.host.nativeElement.querySelector<HTMLElement>(`#write-${CSS.escape(field)}`)?.focus();
  }
}
