import { Annotation } from '@assay/collection/annotating';
import { Pseudonyms } from '@assay/collection/people';
import { Context } from '@assay/collection/rounds';
import type { AnnotationOutcome } from '@assay/contracts/collection';
import { User } from '@assay/identity';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import type { ApiWorld } from '../worlds/api-world.js';

/** An annotation with the properties that a test checks. */
export interface Planted {
  readonly id: string;
  readonly round: number;
  readonly by: string;
  readonly pseudonym: string;
  readonly target: string | null;
  readonly tags: readonly string[];
  readonly condition: string | null;
  readonly day: string;
  readonly fooled: boolean | null;
  readonly outcome: AnnotationOutcome;
  readonly seconds: number | null;
  readonly editDistance: number | null;
  readonly isExplained: boolean;
  readonly isRetracted: boolean;
  readonly isCheck: boolean;
  readonly isAttested: boolean;
}

export type Plant = Omit<Planted, 'id' | 'pseudonym'>;

/**
 * Adds annotations to the rounds of a task and creates these rounds: the last one open, the others
 * closed.
 */
export async function plantAnnotations(world: ApiWorld, slug: string, plants: readonly Plant[]): Promise<Planted[]> {
  const em = world.orm.em.fork();
  const task = await em.findOneOrFail(Task, { slug });
  const users = new Map((await em.find(User, {})).map((user) => [user.username, user]));
  const newest = Math.max(...plants.map(({ round }) => round));
  const rounds = new Map<number, Round>();
  const contexts = new Map<string, Context>();
  for (const { round: number } of plants) {
    if (rounds.has(number)) continue;
    const round = em.create(Round, { task, number, state: number === newest ? 'open' : 'closed', imported: false });
    rounds.set(number, round);
  }
  const planted = plants.map((plant, place): Planted => {
    const round = rounds.get(plant.round)!;
    const contextKey = `${plant.round} ${plant.tags.join()}`;
    const context =
      contexts.get(contextKey) ??
      em.create(Context, { round, externalId: contextKey, content: { text: contextKey }, tags: plant.tags });
    contexts.set(contextKey, context);
    const user = users.get(plant.by)!;
    const pseudonym = world.app.get(Pseudonyms).of(task.id, user.id);
    const annotation = em.create(Annotation, {
      round,
      context,
      annotator: user,
      pseudonym,
      key: String(place),
      source: plant.isAttested ? 'attested' : 'written',
      isCheck: plant.isCheck,
      condition: plant.condition,
      input: { text: `text ${place}` },
      authorLabel: ['positive'],
      label: ['positive'],
      fooled: plant.fooled,
      answers: plant.target === null ? [] : [answerOf(plant.target)],
      target: plant.target === null ? null : em.getReference(Model, plant.target),
      explanations: plant.isExplained ? { example: 'because' } : {},
      editDistance: plant.editDistance,
      seconds: plant.seconds,
      retractedAt: plant.isRetracted ? new Date() : null,
      outcome: plant.outcome,
      createdAt: new Date(`${plant.day}T12:00:00Z`),
    });
    return { ...plant, id: annotation.id, pseudonym };
  });
  await em.flush();
  return planted;
}

const answerOf = (model: string) => ({
  model,
  specification: model,
  answer: 'negative',
  milliseconds: 3,
  at: '2026-01-01T00:00:00Z',
});
