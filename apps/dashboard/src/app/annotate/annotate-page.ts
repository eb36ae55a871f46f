import {
  afterNextRender,
  Component,
  computed,
  DestroyRef,
  effect,
  inject,
  Injector,
  signal,
  untracked,
  viewChild,
} from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { leaderboardLoopResource, roundsGetResource } from '@assay/api-client/angular';
import { progressOf } from '../task/round-words.js';
import { TaskContext } from '../task/task-context.js';
import { Empty, Icon, Loaded, Numbers, Skeleton } from '../ui/index.js';
import { Annotating } from './annotating.js';
import { answersSpoken, labelInWords, modelsNotReady, waitInWords } from './answers-in-words.js';
import { AnsweredExample } from './answered-example.js';
import { ExampleForm } from './example-form.js';
import { ExampleWork } from './example-work.js';
import { consentFor } from './form/consented-work.js';
import { ContextFields } from './form/context-fields.js';
import { unansweredQuestion } from './form/own-questions.js';
import { PageKeys } from './form/page-keys.js';
import { Workbench } from './form/workbench.js';
import { type KeyBinding, leaveField, SEND } from './keys.js';
import { RoundProgress } from './round-progress.js';
import { SavedExample } from './saved-example.js';
import { WordInspection } from './word-inspection.js';

/** Milliseconds between two requests for the state of target models that are not ready. */
const LOOK_AGAIN = 5_000;

/** Writing examples of a task against its target models. Every action has a key. */
@Component({
  selector: 'app-annotate-page',
  imports: [
    AnsweredExample,
    ContextFields,
    Empty,
    ExampleForm,
    Icon,
    Loaded,
    MatButton,
    RoundProgress,
    RouterLink,
    SavedExample,
    Skeleton,
    WordInspection,
    Workbench,
  ],
  providers: [Annotating, { provide: ExampleWork, useExisting: Annotating }, PageKeys],
  templateUrl: './annotate-page.html',
  styleUrl: './annotate-page.scss',
  host: { '(document:keydown)': 'keys.press($event, bindings())' },
})
export class AnnotatePage {
  protected readonly context = inject(TaskContext);
  protected readonly work = inject(Annotating);
  protected readonly keys = inject(PageKeys);
  protected readonly numbers = inject(Numbers);
  private readonly injector = inject(Injector);
  private readonly form = viewChild(ExampleForm);
  private readonly answered = viewChild(AnsweredExample);
  private readonly inspection = viewChild(WordInspection);

  protected readonly consent = consentFor({ begin: () => this.work.start(), problem: this.work.problem });
  private readonly loop = leaderboardLoopResource(() =>
    this.work.phase() === 'writing' && this.work.given()?.models ? this.context.path() : undefined,
  );
  protected readonly said = signal('');
  protected readonly unanswered = signal('');
  protected readonly notReady = computed(() => (this.loop.hasValue() ? modelsNotReady(this.loop.value()) : ''));
  protected readonly wait = computed(() => waitInWords(this.work.problem()));
  /** The label of the example that was sent, in words. */
  protected readonly label = computed(() => {
    const [annotation, task] = [this.work.annotation(), this.context.loaded()];
    return annotation && task ? labelInWords(annotation.label, task.output) : '';
  });
  protected readonly instructions = computed(() => this.context.loaded()?.collection?.instructions ?? '');
  protected readonly heading = $localize`Annotate`;
  private readonly number = computed(() => this.work.given()?.round ?? this.work.annotation()?.round);
  protected readonly round = roundsGetResource(() => this.context.roundPath(this.number()));
  protected readonly lead = computed(() => {
    if (!this.round.hasValue()) return '';
    const { number } = this.round.value();
    const [progress] = progressOf(this.round.value());
    if (!progress) return $localize`Round ${number}:number:`;
    const [done, of] = [this.numbers.count(progress.done), this.numbers.count(progress.of)];
    return $localize`Round ${number}:number: · ${done}:done: of ${of}:of:`;
  });
  /** The number of examples that may still be written today. */
  protected readonly left = computed(() => {
    const left = this.work.given()?.left;
    if (left === undefined) return undefined;
    return Math.max(0, left - (this.work.phase() === 'answered' ? 1 : 0));
  });
  /**
   * True before the first example of the day, or if no daily limit is known. The instructions are
   * then open.
   */
  protected readonly isFirst = computed(() => {
    const most = this.context.loaded()?.collection?.examplesPerDay;
    return most === undefined || this.work.given()?.left === most;
  });
  protected readonly bindings = computed<readonly KeyBinding[]>(() => {
    const phase = this.work.phase();
    const isWriting = phase === 'writing';
    const isAnswered = phase === 'answered';
    const isStanding = isAnswered && this.work.annotation()?.retractedAt === null;
    const isAnsweredByModels = isAnswered && (this.work.annotation()?.answers.length ?? 0) > 0;
    const send = isWriting ? () => this.form()?.submit() : isAnswered ? () => void this.next() : undefined;
    return [
      { key: SEND, words: $localize`Ask the models; afterwards: save what you added, and continue`, run: send },
      { key: 'Escape', words: $localize`Leave the field, so that the keys below work`, run: leaveField },
      ...Array.from({ length: 9 }, (_, index) => ({
        key: String(index + 1),
        words: '',
        run: isWriting ? () => this.form()?.choose(index) : undefined,
      })),
      { key: 'w', words: $localize`Back to the field`, run: () => this.focus() },
      { key: 'n', words: $localize`Next context`, run: isAnswered ? () => void this.next() : undefined },
      {
        key: 't',
        words: $localize`Try again with the same context`,
        run: isAnswered ? () => void this.again() : undefined,
      },
      {
        key: 'c',
        words: $localize`Change the example so that its label flips`,
        run: isStanding ? () => void this.contrast() : undefined,
      },
      {
        key: 'i',
        words: $localize`Inspect: which words mattered to the model`,
        run: isAnsweredByModels ? () => void this.inspection()?.inspect() : undefined,
      },
      {
        key: 'r',
        words: $localize`Retract the example`,
        run: isStanding ? () => void this.retract() : undefined,
      },
      { key: 's', words: $localize`Skip this context`, run: isWriting ? () => void this.skip() : undefined },
      {
        key: 'f',
        words: $localize`Flag this context: something is wrong`,
        run: isWriting ? () => void this.flag() : undefined,
      },
      { key: '?', words: $localize`These keys`, run: () => this.listKeys() },
    ];
  });

  constructor() {
    effect(() => {
      const phase = this.work.phase();
      untracked(() => this.arrive(phase));
    });
    effect(() => {
      if (this.work.sent() > 0) untracked(() => this.round.reload());
    });
    effect(() => {
      if (this.work.phase() === 'waiting') this.said.set(this.wait());
    });
    const again = setInterval(() => this.lookAgain(), LOOK_AGAIN);
    inject(DestroyRef).onDestroy(() => clearInterval(again));
  }

  protected async next(): Promise<void> {
    if (await this.saved()) await this.work.next();
  }

  protected async again(): Promise<void> {
    if (await this.saved()) await this.work.again();
  }

  protected async contrast(): Promise<void> {
    if (await this.saved()) await this.work.contrast();
  }

  protected async skip(): Promise<void> {
    const reason = await this.keys.ask({
      title: $localize`Skip this context`,
      lead: $localize`You are not given it again. What you wrote for it is dropped.`,
      label: $localize`Why, if you like to say`,
      action: $localize`Skip`,
    });
    if (reason !== undefined) await this.work.skip(reason);
  }

  protected async flag(): Promise<void> {
    const reason = await this.keys.ask({
      title: $localize`Flag this context`,
      lead: $localize`The owner of the task sees what you say, and you are given another one.`,
      label: $localize`What is wrong with it`,
      isNeeded: true,
      action: $localize`Flag`,
    });
    if (reason !== undefined) await this.work.flag(reason);
  }

  protected async retract(): Promise<void> {
    const isSure = await this.keys.ask({
      title: $localize`Retract this example`,
      lead: $localize`It will not be validated and will not become data. This cannot be undone.`,
      action: $localize`Retract`,
    });
    if (isSure !== undefined) await this.work.retract();
    this.answered()?.focus();
  }

  protected listKeys(): void {
    const digits = { key: '1 … 9', words: $localize`Choose a label` };
    const listed = this.bindings().filter(({ words }) => words !== '');
    this.keys.list([...listed.slice(0, 2), digits, ...listed.slice(2)]);
  }

  private async saved(): Promise<boolean> {
    const task = this.context.loaded();
    const annotation = this.work.annotation();
    const missing =
      annotation?.retractedAt === null
        ? unansweredQuestion(task?.collection?.fields ?? [], this.work.why().extra)
        : undefined;
    this.unanswered.set(missing ? $localize`Please answer first: ${missing.label}:question:` : '');
    if (missing) {
      this.answered()?.focusWhy();
      return false;
    }
    return annotation?.retractedAt !== null || this.work.save();
  }

  /** Announces the new phase and moves the focus to where the annotator continues. */
  private arrive(phase: ReturnType<Annotating['phase']>): void {
    const annotation = this.work.annotation();
    const task = this.context.loaded();
    if (phase === 'asking') this.said.set($localize`Asking.`);
    if (phase === 'answered' && annotation && task) {
      this.said.set(answersSpoken(annotation, task, (ratio) => this.numbers.percent(ratio)));
    }
    if (phase === 'writing') this.said.set('');
    if (phase === 'writing' || phase === 'answered') afterNextRender(() => this.focus(), { injector: this.injector });
  }

  private focus(): void {
    // on touch screens the on-screen keyboard would hide the context
    if (this.work.phase() === 'writing' && matchMedia('(pointer: coarse)').matches) return;
    if (this.work.phase() === 'answered') this.answered()?.focus();
    else this.form()?.focus();
  }

  private lookAgain(): void {
    if (!document.hidden && this.notReady() !== '') this.loop.reload();
  }
}
