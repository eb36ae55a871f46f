import { Component, computed, input, output, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { type Consent, consentAgree } from '@assay/api-client/angular';
import { Action, Icon, Markdown } from '../../ui/index.js';

type Term = 'warned' | 'age' | 'consent' | 'licence';

/** The terms of a task that annotators and validators accept before their first example. */
@Component({
  selector: 'app-terms-gate',
  imports: [Icon, MatButton, Markdown],
  templateUrl: './terms-gate.html',
  styleUrl: './terms-gate.scss',
})
export class TermsGate {
  readonly asked = input.required<Consent>();
  /** Markdown. Empty if the task has none. */
  readonly instructions = input('');
  /** The language of the terms, a BCP 47 tag. */
  readonly language = input<string>();
  readonly agreed = output<Consent>();

  private readonly ticked = signal<ReadonlySet<Term>>(new Set());
  private readonly missing = signal('');
  protected readonly action = new Action();
  protected readonly problem = computed(() => this.missing() || this.action.problem()?.detail);
  protected readonly isRenewed = computed(() => this.asked().given !== null);
  private readonly terms = computed<readonly Term[]>(() => {
    const { contentWarning, minimumAge, consent, licence } = this.asked();
    return [
      ...(contentWarning === null ? [] : (['warned'] as const)),
      ...(consent === null ? [] : (['consent'] as const)),
      ...(licence === null ? [] : (['licence'] as const)),
      ...(minimumAge === null ? [] : (['age'] as const)),
    ];
  });

  protected tick(term: Term, event: Event): void {
    const { checked } = event.target as HTMLInputElement;
    this.ticked.update((before) => new Set([...before, term].filter((each) => checked || each !== term)));
    this.missing.set('');
    this.action.clear();
  }

  protected async agree(): Promise<void> {
    if (!this.terms().every((term) => this.ticked().has(term))) {
      this.missing.set($localize`Tick each of them to begin, or leave: nothing is kept until you agree.`);
      return;
    }
    const { task, consent, licence, minimumAge, contentWarning } = this.asked();
    const body = {
      consentVersion: consent?.version ?? null,
      licenceVersion: licence?.version ?? null,
      ...(minimumAge !== null && { age: true as const }),
      ...(contentWarning !== null && { warned: true as const }),
    };
    await this.action.run(async () => {
      this.agreed.emit((await consentAgree({ path: { slug: task }, body })).data);
    });
  }
}
