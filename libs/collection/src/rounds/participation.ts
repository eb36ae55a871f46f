import type { RoundCondition } from '@assay/contracts/collection';
import { User } from '@assay/identity';
import { newId, type Rng, seededRng } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, type EntityManager, p } from '@mikro-orm/postgresql';
import { RoundRepository } from './round.repository.js';

const ParticipationSchema = defineEntity({
  name: 'Participation',
  uniques: [{ properties: ['round', 'user'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    user: () => p.manyToOne(User),
    /** The name of the arm drawn for the person; null if the round has none. */
    condition: p.string().length(40).nullable(),
    /** The number of trials on `trialsOn`. */
    trials: p.integer().default(0),
    /** The UTC day of the last trial, for example `2026-12-31`; null: no trial yet. */
    trialsOn: p.string().length(10).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A person's participation in a round, with their arm. */
export class Participation extends ParticipationSchema.class {}
ParticipationSchema.setClass(Participation);

/**
 * The arm of a participant: its name, and whether they are shown a prompt and a model. The name is
 * null in a round without arms.
 */
export interface EnrolledIn {
  readonly condition: string | null;
  readonly prompt: boolean;
  readonly model: boolean;
}

/** Stores that a person takes part in a round, and draws their arm the first time. */
export async function enroll(
  em: EntityManager,
  round: Round,
  userId: string,
  rng: Rng = seededRng(newId()),
): Promise<EnrolledIn> {
  const known = await em.findOne(Participation, { round, user: userId });
  if (known) return armOf(round, known.condition ?? null);
  const drawn = drawCondition(round.settings?.conditions ?? [], rng)?.name ?? null;
  await new RoundRepository(em).enrol(round.id, userId, drawn);
  // a concurrent request of the same person may have drawn first
  const { condition } = await em.findOneOrFail(Participation, { round, user: userId });
  return armOf(round, condition ?? null);
}

/**
 * Returns the arm of a round with this name. Prompt and model are shown unless the arm says
 * otherwise.
 */
export function armOf(round: Pick<Round, 'settings'>, name: string | null): EnrolledIn {
  const condition = round.settings?.conditions.find((each) => each.name === name);
  return { condition: name, prompt: condition?.prompt ?? true, model: condition?.model ?? true };
}

/** Draws one of the arms, with probabilities proportional to their shares. */
function drawCondition(conditions: readonly RoundCondition[], rng: Rng): RoundCondition | undefined {
  const total = conditions.reduce((sum, { share }) => sum + share, 0);
  let place = rng.next() * total;
  return conditions.find(({ share }) => (place -= share) < 0) ?? conditions.at(-1);
}
