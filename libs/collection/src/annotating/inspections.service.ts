import type { InspectInput } from '@assay/contracts/annotating';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { type Inspection, LivePredictions } from '@assay/serving';
import { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { countTrial } from '../people/daily-limits.js';
import { collectionOf, requireConsent, requireUnrelated } from '../people/eligibility.js';
import { enroll } from '../rounds/participation.js';
import { readableAnnotation, roundOf } from './annotations.service.js';
import { drawOf, inspectedModel, type Judgeable } from './fooling-check.js';
import { contextOf } from './prepared-example.js';
import { roundClosed } from './stored-example.js';
import { readInput } from './written-example.js';

/** Explains which words of an example mattered to its target model. */
@Injectable()
export class InspectionsService {
  constructor(
    private readonly em: EntityManager,
    private readonly live: LivePredictions,
  ) {}

  /**
   * Inspects a stored annotation, for its author and the owner of the task.
   * @throws DomainError `not_found`, `no_model_shown`, `unknown_label`, and the errors of
   *   `LivePredictions.inspect`
   */
  async ofAnnotation(principal: Principal, id: string, label?: string): Promise<Inspection> {
    const { round, target, input } = await readableAnnotation(this.em, principal, id);
    if (!target) throw noModelShown();
    requireLabel(round.task, label);
    const model = await this.em.findOneOrFail(Model, target.id, { populate: ['specification'] });
    return this.live.inspect(round.task, model, input, label);
  }

  /**
   * Inspects an input that was not sent as an example. Counts as a trial.
   * @throws DomainError `round_closed`, `consent_needed`, `own_model_in_round`, `wrong_context`,
   *   `trial_cap`, and the errors of `ofAnnotation` and `readInput`
   */
  async ofInput(principal: Principal, task: Task, number: number, body: InspectInput): Promise<Inspection> {
    const { userId } = principal;
    const round = await roundOf(this.em, task, number);
    if (round.state !== 'open') throw roundClosed(round);
    await requireConsent(this.em, task, userId);
    await requireUnrelated(this.em, round, userId);
    const { condition } = await enroll(this.em, round, userId);
    requireLabel(task, body.label);
    const context = await contextOf(this.em, round, body.context);
    const input = readInput(task.definition, collectionOf(task), context, body.input);
    const draw = drawOf(context.id, userId);
    const asked: Judgeable = { task, round, context, condition, input, gold: [], draw, claimed: null };
    const model = await inspectedModel(this.em, asked);
    if (!model) throw noModelShown();
    await countTrial(this.em, task, round, userId);
    return this.live.inspect(task, model, input, body.label);
  }
}

function requireLabel({ definition: { output } }: Task, label: string | undefined): void {
  if (label === undefined || !('labels' in output) || output.labels.includes(label)) return;
  throw new DomainError(
    'invalid',
    'unknown_label',
    `"${label.slice(0, 80)}" is not a label of this task. Choose one of: ${output.labels.join(', ')}.`,
  );
}

const noModelShown = (): DomainError =>
  new DomainError('conflict', 'no_model_shown', 'This example has no target model, so there is no answer to explain.');
