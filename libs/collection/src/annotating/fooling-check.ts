import type { LiveAnswer } from '@assay/contracts/collection';
import { seededRng } from '@assay/kernel';
import type { LivePredictions } from '@assay/serving';
import type { Model } from '@assay/submissions';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { collectionOf } from '../people/eligibility.js';
import type { Context } from '../rounds/context.js';
import { armOf } from '../rounds/participation.js';
import { RoundModel } from '../rounds/round-model.js';
import type { AnnotationChoices, Judgement } from './annotation.js';
import { AnnotationRepository } from './annotation.repository.js';
import { mixChoices, ownDistractors, withChosen } from './distractors.js';
import { askModels, drawnOrder, modelsInRound } from './target-selection.js';
import { fooledRuleOf, isFooled } from './fooled-rule.js';

/** An example that can be sent to the target models. */
export interface Judgeable {
  readonly task: Task;
  readonly round: Round;
  readonly context: Context | null;
  readonly condition: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly gold: readonly string[];
  /** Seed that decides which model the example is sent to, and how its choices are mixed. */
  readonly draw: string;
  /**
   * The author's answer to whether the models are wrong, for tasks that ask; null: not answered.
   */
  readonly claimed: boolean | null;
}

/** The number of newest examples of a round whose labels are candidates for hard negatives. */
const NEWEST_LABELS = 500;
const UNJUDGED: Judgement = { answers: [], fooled: null, choices: null };

/**
 * Returns the seed for a person and a context. However often a person tries, they write against the
 * same model for a context.
 */
export const drawOf = (contextId: string, userId: string): string => `${contextId} ${userId}`;

/**
 * Asks the target models of an example, and applies the task's fooled rule to their answers. Asks
 * no model in an arm without one, or in a round that never had one.
 * @throws DomainError as `LivePredictions.predict`
 */
export async function judge(em: EntityManager, live: LivePredictions, example: Judgeable): Promise<Judgement> {
  const { task, input, draw } = example;
  const models = await facedModels(em, example);
  if (models === null) return UNJUDGED;
  const { facing } = collectionOf(task);
  const answers = await askModels(live, { task, facing, models, draw }, input);
  const choices = await choicesOf(em, example, answers);
  return { answers, choices, fooled: verdict(example, answers, choices) ?? example.claimed };
}

/**
 * Returns the model to ask which words mattered: the first target model of the example; null if
 * none is shown.
 */
export async function inspectedModel(em: EntityManager, example: Judgeable): Promise<Model | null> {
  const models = await facedModels(em, example);
  if (models === null) return null;
  const isDrawn = collectionOf(example.task).facing === 'one';
  return (isDrawn ? drawnOrder(models, example.draw) : models)[0] ?? null;
}

/** Returns the models in the loop of the round; null if no model is shown. */
async function facedModels(em: EntityManager, { round, condition }: Judgeable): Promise<readonly Model[] | null> {
  if (!armOf(round, condition).model) return null;
  const models = await modelsInRound(em, round);
  if (models.length > 0) return models;
  const everHadOne = (await em.count(RoundModel, { round })) > 0;
  return everHadOne ? models : null;
}

async function choicesOf(
  em: EntityManager,
  { task, round, context, gold, draw }: Judgeable,
  answers: readonly LiveAnswer[],
): Promise<AnnotationChoices | null> {
  const { distractors } = collectionOf(task);
  if (distractors === undefined || task.definition.output.type !== 'text') return null;
  const labels = await new AnnotationRepository(em).newestLabels(round.id, NEWEST_LABELS);
  const mixed = mixChoices(
    gold,
    [...ownDistractors(context), ...labels],
    distractors,
    seededRng(draw),
    task.definition,
  );
  return mixed && withChosen(mixed, gold, answers, task.definition);
}

function verdict(
  { task, gold }: Judgeable,
  answers: readonly LiveAnswer[],
  choices: AnnotationChoices | null,
): boolean | null {
  const collection = collectionOf(task);
  const { definition } = task;
  const rule = fooledRuleOf(definition.output, collection);
  if (rule !== 'ask' || !choices) return isFooled(rule, definition, gold, answers, collection.facing);
  // a model whose answer is nearest to another text than the right one answered incorrectly
  const chosen = answers.map((answer, index) => ({
    ...answer,
    answer:
      choices.chosen[index] === choices.right ? (gold[0] ?? '') : (choices.texts[choices.chosen[index] ?? -1] ?? ''),
  }));
  return isFooled('label-differs', definition, gold, chosen, collection.facing);
}
