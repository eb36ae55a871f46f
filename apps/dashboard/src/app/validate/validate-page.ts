import {
  afterNextRender,
  Component,
  computed,
  effect,
  ElementRef,
  inject,
  Injector,
  signal,
  untracked,
  viewChild,
} from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import type { GivenLabel } from '@assay/api-client/angular';
import { answerInWords } from '../annotate/answers-in-words.js';
import { consentFor } from '../annotate/form/consented-work.js';
import { ContextFields } from '../annotate/form/context-fields.js';
import { LabelField } from '../annotate/form/label-field.js';
import { OwnQuestions, unansweredQuestion } from '../annotate/form/own-questions.js';
import { PageKeys } from '../annotate/form/page-keys.js';
import { SpanField } from '../annotate/form/span-field.js';
import { Workbench } from '../annotate/form/workbench.js';
import { YesOrNo } from '../annotate/form/yes-or-no.js';
import { type KeyBinding, leaveField, SEND } from '../annotate/keys.js';
import type { Span } from '../annotate/span.js';
import { textOf } from '../annotate/writing.js';
import { TaskContext } from '../task/task-context.js';
import { Empty, Icon, Loaded, Skeleton } from '../ui/index.js';
import { consensusInWords, verdictInWords } from './consensus-in-words.js';
import { Validating } from './validating.js';
import { ValidationProgress } from './validation-progress.js';

/** Validates examples written by others, by mouse or keyboard. */
@Component({
  selector: 'app-validate-page',
  imports: [
    ContextFields,
    Empty,
    Icon,
    LabelField,
    Loaded,
    MatButton,
    OwnQuestions,
    RouterLink,
    Skeleton,
    SpanField,
    ValidationProgress,
    Workbench,
    YesOrNo,
  ],
  providers: [PageKeys, Validating],
  templateUrl: './validate-page.html',
  styleUrl: './validate-page.scss',
  host: { '(document:keydown)': 'press($event)' },
})
export class ValidatePage {
  protected readonly context = inject(TaskContext);
  protected readonly work = inject(Validating);
  private readonly keys = inject(PageKeys);
  private readonly injector = inject(Injector);
  private readonly labels = viewChild(LabelField);
  private readonly spans = viewChild(SpanField);
  private readonly heading = viewChild<ElementRef<HTMLElement>>('heading');
  private readonly why = viewChild<ElementRef<HTMLElement>>('why');

  protected readonly title = $localize`Validate`;
  protected readonly rightLegend = $localize`What is right?`;
  protected readonly consent = consentFor({ begin: () => this.work.next(), problem: this.work.problem });
  /** True while the user gives the right label because the author's is wrong. */
  protected readonly isCorrecting = signal(false);
  protected readonly span = signal<Span | null>(null);
  protected readonly missing = signal('');
  protected readonly said = signal('');
  protected readonly output = computed(() => this.work.item()?.output);
  protected readonly spanOf = computed(() => {
    const output = this.output();
    return output?.type === 'span' ? output.of : undefined;
  });
  protected readonly spanText = computed(() => textOf(this.work.item()?.input[this.spanOf() ?? '']));
  protected readonly isChoosing = computed(() => this.work.stage() === 'labelling' || this.isCorrecting());
  protected readonly instructions = computed(
    () => this.work.item()?.instructions || this.context.loaded()?.collection?.validationInstructions || '',
  );
  protected readonly needed = computed(() => this.context.loaded()?.collection?.validations ?? 3);
  protected readonly verdict = computed(() => {
    const validation = this.work.validation();
    return validation ? verdictInWords(validation) : '';
  });
  protected readonly consensus = computed(() => {
    const validation = this.work.validation();
    return validation ? consensusInWords(validation, this.needed()) : '';
  });

  protected readonly bindings = computed<readonly KeyBinding[]>(() => {
    const stage = this.work.stage();
    const isJudging = stage === 'judging';
    const isOpen = stage === 'labelling' || isJudging;
    return [
      ...Array.from({ length: 9 }, (_, index) => ({
        key: String(index + 1),
        words: '',
        run: this.isChoosing() ? () => this.labels()?.choose(index) : undefined,
      })),
      { key: SEND, words: $localize`Give the label, or the verdict`, run: isOpen ? () => void this.send() : undefined },
      {
        key: 'c',
        words: $localize`Correct: the author is right`,
        run: isJudging ? () => void this.correct() : undefined,
      },
      {
        key: 'i',
        words: $localize`Incorrect: another label is right`,
        run: isJudging ? () => this.begin() : undefined,
      },
      { key: 'f', words: $localize`Flag it: it should not be here`, run: isOpen ? () => void this.flag() : undefined },
      { key: 'n', words: $localize`Next example`, run: stage === 'done' ? () => void this.work.next() : undefined },
      { key: 'Escape', words: $localize`Leave the field, so that keys work`, run: leaveField },
      { key: '?', words: $localize`These keys`, run: () => this.listKeys() },
    ];
  });

  constructor() {
    effect(() => {
      const stage = this.work.stage();
      untracked(() => this.arrive(stage));
    });
  }

  protected press(event: KeyboardEvent): void {
    // Enter sends the label as in a form; a focused button handles Enter itself
    const isOnLabel = event.target instanceof HTMLInputElement && ['radio', 'checkbox'].includes(event.target.type);
    const isFree = event.target === document.body || event.target === this.heading()?.nativeElement;
    const isEnter = event.key === 'Enter' && !event.ctrlKey && !event.metaKey && (isOnLabel || isFree);
    if (isEnter && this.isChoosing() && this.work.label() !== null) {
      event.preventDefault();
      void this.send();
      return;
    }
    this.keys.press(event, this.bindings());
  }

  protected label(label: GivenLabel | null): void {
    this.missing.set('');
    this.work.label.set(label);
  }

  protected mark(span: Span | null): void {
    this.span.set(span);
    this.label(span ? this.spanText().slice(span.start, span.end) : null);
  }

  protected async send(): Promise<void> {
    if (!this.isChoosing()) return;
    if (this.work.label() === null) {
      this.missing.set($localize`Say first what is right.`);
      this.focusChoice();
      return;
    }
    if (this.work.stage() === 'labelling') await this.work.answer();
    else await this.judge({ verdict: 'incorrect', label: this.work.label()! });
  }

  protected async correct(): Promise<void> {
    this.isCorrecting.set(false);
    await this.judge({ verdict: 'correct' });
  }

  /**
   * Begins the correction of the author's label. Starts with the user's own label if it differs.
   */
  protected begin(): void {
    const validation = this.work.validation();
    const own = validation?.agrees === false ? validation.label : null;
    this.isCorrecting.set(true);
    if (this.spanOf() !== undefined) {
      const start = own?.[0] === undefined ? -1 : this.spanText().indexOf(own[0]);
      this.span.set(start < 0 ? null : { start, end: start + own![0]!.length });
    }
    this.work.label.set(own === null ? null : this.output()?.type === 'labels' ? own : (own[0] ?? null));
    afterNextRender(() => this.focusChoice(), { injector: this.injector });
  }

  protected async flag(): Promise<void> {
    const reason = await this.keys.ask({
      title: $localize`Flag this example`,
      lead: $localize`Say what is wrong with it. Where enough people flag an example, it goes nowhere.`,
      label: $localize`Why it should not be here`,
      isNeeded: true,
      action: $localize`Flag`,
    });
    if (reason !== undefined) await this.work.flag(reason);
  }

  protected listKeys(): void {
    const digits = { key: '1 … 9', words: $localize`Choose a label; Enter gives it` };
    this.keys.list([digits, ...this.bindings().filter(({ words }) => words !== '')]);
  }

  protected readonly inWords = (label: readonly string[] | null): string =>
    (label ?? []).map((each) => answerInWords(each, this.output() ?? { type: 'text' })).join(', ');

  private async judge(body: Parameters<Validating['judge']>[0]): Promise<void> {
    const missing = unansweredQuestion(this.work.item()?.fields ?? [], this.work.extra());
    this.missing.set(missing ? $localize`Please answer first: ${missing.label}:question:` : '');
    if (missing) this.why()?.nativeElement.querySelector<HTMLElement>('input, select, textarea')?.focus();
    else await this.work.judge(body);
  }

  private arrive(stage: ReturnType<Validating['stage']>): void {
    this.isCorrecting.set(false);
    this.span.set(null);
    this.missing.set('');
    const validation = this.work.validation();
    if (stage === 'judging' && validation) {
      this.said.set($localize`The author says: ${this.inWords(validation.author.label)}:label:.`);
    } else this.said.set(stage === 'done' ? `${this.verdict()}. ${this.consensus()}` : '');
    if (stage === 'loading' || stage === 'none') return;
    const focus = () =>
      stage === 'labelling' && this.spanOf() !== undefined
        ? this.spans()?.focus()
        : this.heading()?.nativeElement.focus();
    afterNextRender(focus, { injector: this.injector });
  }

  private focusChoice(): void {
    if (this.spanOf() !== undefined) this.spans()?.focus();
    else this.labels()?.focus();
  }
}
