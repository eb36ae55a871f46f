import { Annotation, Assignment } from '@assay/collection/annotating';
import { Context } from '@assay/collection/rounds';
import { Validation } from '@assay/collection/validating';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Round, Task } from '@assay/tasks';
import type { MikroORM, RequiredEntityData } from '@mikro-orm/postgresql';

interface Written extends Partial<RequiredEntityData<Annotation>> {
  /** The username of the author. */
  readonly by: string;
}

interface Validated extends Partial<RequiredEntityData<Validation>> {
  readonly by: string;
}

/**
 * Adds annotations, assignments and validations to an open round of a task, as if they had come
 * through the API.
 */
export interface AnnotationFactory {
  readonly round: Round;
  readonly written: (given: Written) => Promise<Annotation>;
  readonly handed: (given: { readonly by: string; readonly state: Assignment['state'] }) => Promise<void>;
  readonly validated: (annotation: Annotation, given: Validated) => Promise<Validation>;
}

export async function annotationFactory(orm: MikroORM, slug: string, number = 1): Promise<AnnotationFactory> {
  const round = await openRound(orm, slug, number);
  const userOf = (username: string) => orm.em.fork().findOneOrFail(User, { username });
  return {
    round,
    async written({ by, ...given }) {
      const em = orm.em.fork();
      const user = await userOf(by);
      const annotation = em.create(Annotation, {
        round: round.id,
        annotator: user.id,
        pseudonym: `pseudonym-of-${by}`,
        key: newId(),
        source: 'written',
        input: { text: `written by ${by}` },
        authorLabel: ['harmless'],
        label: ['harmless'],
        fooled: true,
        answers: [],
        ...given,
      });
      await em.flush();
      return annotation;
    },
    async handed({ by, state }) {
      const em = orm.em.fork();
      const user = await userOf(by);
      const context = em.create(Context, { round: round.id, externalId: newId(), content: {} });
      em.create(Assignment, { round: round.id, context, user: user.id, state, expiresAt: new Date() });
      await em.flush();
    },
    async validated(annotation, { by, ...given }) {
      const em = orm.em.fork();
      const user = await userOf(by);
      const validation = em.create(Validation, {
        annotation: annotation.id,
        validator: user.id,
        pseudonym: `pseudonym-of-${by}`,
        label: ['harmless'],
        verdict: 'correct',
        answeredAt: new Date(),
        ...given,
      });
      if (validation.verdict && !validation.byOwner) {
        const { verdictCount } = await em.findOneOrFail(Annotation, annotation.id);
        await em.nativeUpdate(Annotation, annotation.id, { verdictCount: verdictCount + 1 });
      }
      await em.flush();
      return validation;
    },
  };
}

async function openRound(orm: MikroORM, slug: string, number: number): Promise<Round> {
  const em = orm.em.fork();
  const task = await em.findOneOrFail(Task, { slug });
  const present = await em.findOne(Round, { task, number });
  if (present) return present;
  const round = em.create(Round, { task, number, state: 'open', imported: false, openedAt: new Date() });
  await em.flush();
  return round;
}
