import { Component, computed, DestroyRef, DOCUMENT, inject, input, signal } from '@angular/core';
import { FormGroupDirective, NonNullableFormBuilder, ReactiveFormsModule, Validators } from '@angular/forms';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import {
  type Evaluator,
  type EvaluatorRegistered,
  evaluatorsListResource,
  evaluatorsRegister,
  evaluatorsRemove,
  type RunningWork,
} from '@assay/api-client/angular';
import { everyWhileVisible } from '../admin/freshness.js';
import { Session } from '../session/session.js';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { ShownSecret } from '../ui/fields/shown-secret.js';
import { Action, ActionProblem, Confirm, Empty, Loaded, Numbers, When } from '../ui/index.js';

const EVERY_MILLISECONDS = 10_000;

/**
 * The registered evaluators, with a form that registers another and shows its token once: those that
 * the user owns, or all of them to an administrator.
 */
@Component({
  selector: 'app-registered-evaluators',
  imports: [ActionProblem, Empty, FORM_FIELD, Loaded, MatButton, ReactiveFormsModule, RouterLink, ShownSecret, When],
  templateUrl: './registered-evaluators.html',
  styleUrl: './registered-evaluators.scss',
})
export class RegisteredEvaluators {
  /** True: only those that the user owns, also for an administrator. */
  readonly own = input.required<boolean>();

  private readonly confirm = inject(Confirm);
  private readonly numbers = inject(Numbers);
  private readonly session = inject(Session);
  protected readonly list = evaluatorsListResource(() => ({}));
  protected readonly action = new Action();
  protected readonly form = inject(NonNullableFormBuilder).group({
    name: ['', [Validators.required, Validators.pattern(/^[\w.-]{1,60}$/)]],
  });
  /** The evaluator just registered, with its token, which is shown only once. */
  protected readonly registered = signal<EvaluatorRegistered | undefined>(undefined);

  protected readonly shown = computed(() => this.ofPage(this.list.hasValue() ? this.list.value().items : []));
  /** Those that were removed lately, or whose token is still used. */
  protected readonly removed = computed(() => this.ofPage(this.list.hasValue() ? this.list.value().removed : []));

  private readonly protocols = computed(() => (this.list.hasValue() ? this.list.value().protocols : []));

  protected readonly stages: Readonly<Record<RunningWork['stage'], string>> = {
    admission: $localize`inspected`,
    evaluation: $localize`evaluated`,
    measures: $localize`measured`,
    serving: $localize`served as a target model`,
  };
  protected readonly states: Readonly<Record<Evaluator['state'], { readonly words: string; readonly tone: string }>> = {
    new: { words: $localize`new`, tone: '' },
    online: { words: $localize`online`, tone: 'good' },
    offline: { words: $localize`offline`, tone: 'caution' },
  };

  constructor() {
    const stop = everyWhileVisible(inject(DOCUMENT), EVERY_MILLISECONDS, () => {
      if (!this.list.isLoading() && !this.list.error()) this.list.reload();
    });
    inject(DestroyRef).onDestroy(stop);
  }

  /** Returns whether the service supports the protocol of an evaluator, or does not know it yet. */
  protected isSupported({ protocol }: Evaluator): boolean {
    return protocol === null || this.protocols().includes(protocol);
  }

  /** Returns those evaluators that this page shows. */
  private ofPage<T extends Pick<Evaluator, 'owner'>>(evaluators: readonly T[]): readonly T[] {
    const user = this.session.user()?.username;
    return this.own() ? evaluators.filter(({ owner }) => owner === user) : evaluators;
  }

  protected hostOf({ host }: Evaluator): string {
    if (!host) return '–';
    const { architecture, cpus, memoryBytes, runtimes } = host;
    const processors = $localize`${this.numbers.count(cpus)}:count: CPUs`;
    return [architecture, processors, this.numbers.bytes(memoryBytes), ...runtimes].join(', ');
  }

  protected removeLabel({ name }: Evaluator): string {
    return $localize`Remove ${name}:name:`;
  }

  protected async register(fields: FormGroupDirective): Promise<void> {
    if (this.form.invalid) return;
    const body = { ...this.form.getRawValue(), own: this.own() };
    await this.action.run(async () => {
      this.registered.set((await evaluatorsRegister({ body })).data);
      fields.resetForm();
      this.list.reload();
    });
  }

  protected async remove({ id, name }: Evaluator): Promise<void> {
    const sure = await this.confirm.ask({
      title: $localize`Remove ${name}:name:?`,
      text: $localize`Its token stops working immediately. To use this host again, register it again.`,
      action: $localize`Remove`,
      tone: 'bad',
    });
    if (!sure) return;
    await this.action.run(() => evaluatorsRemove({ path: { id } }));
    if (this.registered()?.id === id) this.registered.set(undefined);
    this.list.reload();
  }
}
