import { inject, Injectable, signal } from '@angular/core';
import {
  type GivenLabel,
  type GiveVerdict,
  type Validation,
  type ValidationItem,
  validationsAnswer,
  validationsGiveVerdict,
  validationsNext,
} from '@assay/api-client/angular';
import { TaskContext } from '../task/task-context.js';
import { Action } from '../ui/index.js';

/**
 * The stage of a validation. `none`: nothing to validate, see `problem`. `labelling`: blind.
 * `judging`: the author's label is shown. `done`: the verdict is given.
 */
export type Stage = 'loading' | 'none' | 'labelling' | 'judging' | 'done';

/** The validation of examples by one person, one example at a time. */
@Injectable()
export class Validating {
  private readonly context = inject(TaskContext);
  private readonly action = new Action();

  readonly stage = signal<Stage>('loading');
  readonly item = signal<ValidationItem | null>(null);
  readonly validation = signal<Validation | null>(null);
  /** The chosen label that is not sent yet: the blind label, or the correction of the author's. */
  readonly label = signal<GivenLabel | null>(null);
  readonly extra = signal<Readonly<Record<string, unknown>>>({});
  readonly modelWrong = signal<boolean | null>(null);
  readonly problem = this.action.problem;
  readonly busy = this.action.busy;
  /** The number of verdicts since the page was opened. */
  readonly given = signal(0);

  async next(): Promise<void> {
    if (this.busy()) return;
    this.stage.set('loading');
    const item = await this.action.run(async () => {
      const { data } = await validationsNext({ path: { slug: this.context.slug() } });
      this.item.set(data);
      this.validation.set(data.validation);
      this.label.set(null);
      this.extra.set({});
      this.modelWrong.set(null);
      this.stage.set(data.validation ? 'judging' : 'labelling');
      return data;
    });
    if (!item) this.stage.set('none');
  }

  /** Sends the blind label and receives the author's. */
  async answer(): Promise<void> {
    const [item, label] = [this.item(), this.label()];
    if (!item || label === null) return;
    await this.action.run(async () => {
      const { data } = await validationsAnswer({ path: { id: item.id }, body: { label } });
      this.validation.set(data);
      this.label.set(null);
      this.stage.set(data.verdict === null ? 'judging' : 'done');
    });
  }

  async judge(body: GiveVerdict): Promise<void> {
    const validation = this.validation();
    if (!validation) return;
    const isFlag = body.verdict === 'flagged';
    const asked = {
      ...(!isFlag && Object.keys(this.extra()).length > 0 && { extra: this.extra() }),
      ...(!isFlag && this.modelWrong() !== null && { modelWrong: this.modelWrong()! }),
    };
    await this.action.run(async () => {
      const path = { id: validation.id };
      this.conclude((await validationsGiveVerdict({ path, body: { ...body, ...asked } })).data);
    });
  }

  /** Flags the example. Also possible before it is labelled. */
  async flag(reason: string): Promise<void> {
    const item = this.item();
    if (this.validation()) return this.judge({ verdict: 'flagged', reason });
    if (!item) return;
    await this.action.run(async () => {
      const body = { verdict: 'flagged' as const, reason };
      this.conclude((await validationsAnswer({ path: { id: item.id }, body })).data);
    });
  }

  private conclude(validation: Validation): void {
    this.validation.set(validation);
    this.given.update((count) => count + 1);
    this.stage.set('done');
  }
}
