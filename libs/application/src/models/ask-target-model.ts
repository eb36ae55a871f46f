import { RoundModel } from '@assay/collection/rounds';
import type { LiveAnswer } from '@assay/contracts/collection';
import { DomainError } from '@assay/kernel';
import { Promotion } from '@assay/leaderboard/promotions';
import { LivePredictions } from '@assay/serving';
import type { Model } from '@assay/submissions';
import { type Task } from '@assay/tasks';
import { wrongInput } from '@assay/tasks/examples';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/**
 * Answers a person's own input with a target model. Nothing is stored, and no score is affected.
 */
@Injectable()
export class AskTargetModel {
  constructor(
    private readonly em: EntityManager,
    private readonly live: LivePredictions,
  ) {}

  /**
   * @throws DomainError `unknown_input`, `invalid_input`, `not_in_loop`, and as
   *   `LivePredictions.predict`
   */
  async execute(model: Model, input: Readonly<Record<string, unknown>>): Promise<LiveAnswer> {
    const { task } = model;
    checkInput(task, input);
    if (!(await this.isInLoop(model))) {
      const text = `"${model.name}" is not in the loop of "${task.slug}". Only models in the loop can be tried.`;
      throw new DomainError('conflict', 'not_in_loop', text);
    }
    return this.live.answer(task, model, input);
  }

  private async isInLoop({ id }: Model): Promise<boolean> {
    if ((await this.em.count(Promotion, { model: id, until: null })) > 0) return true;
    return (await this.em.count(RoundModel, { model: id, until: null, round: { state: 'open' } })) > 0;
  }
}

function checkInput({ definition: { inputs } }: Task, input: Readonly<Record<string, unknown>>): void {
  const names = inputs.map(({ name }) => name);
  const stranger = Object.keys(input).find((name) => !names.includes(name));
  if (stranger !== undefined) {
    const text = `"${stranger}" is not an input of this task. Send ${names.map((name) => `"${name}"`).join(', ')}.`;
    throw new DomainError('invalid', 'unknown_input', text, [
      { path: `input.${stranger}`, message: 'is not an input' },
    ]);
  }
  for (const { name, type } of inputs) {
    const why = wrongInput(type, input[name]);
    if (why === null) continue;
    throw new DomainError('invalid', 'invalid_input', `"${name}" ${why}.`, [{ path: `input.${name}`, message: why }]);
  }
}
