import type { RoundCondition } from '@assay/contracts';
import { newId, type Rng, seededRng } from '@assay/kernel';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Participation } from './participation.js';

/** What who takes part in a round is shown, and the name of their arm; a round without arms has one without a name. */
export interface EnrolledIn {
  readonly condition: string | null;
  readonly prompt: boolean;
  readonly model: boolean;
}

/** Notes that a person takes part in a round, and draws their arm the first time. */
export async function enroll(
  em: EntityManager,
  round: Round,
  userId: string,
  rng: Rng = seededRng(newId()),
): Promise<EnrolledIn> {
  const known = await em.findOne(Participation, { round, user: userId });
  if (known) return armOf(round, known.condition ?? null);
  const drawn = drawCondition(round.settings?.conditions ?? [], rng)?.name ?? null;
  await em.execute(
    `insert into participation (id, round_id, user_id, condition, created_at) values (?, ?, ?, ?, now()) on conflict do nothing`,
    [newId(), round.id, userId, drawn],
  );
  // another request of theirs may have drawn first
  const { condition } = await em.findOneOrFail(Participation, { round, user: userId });
  return armOf(round, condition ?? null);
}

/** The arm of a round that has this name. */
export function armOf(round: Pick<Round, 'settings'>, name: string | null): EnrolledIn {
  const condition = round.settings?.conditions.find((each) => each.name === name);
  return { condition: name, prompt: condition?.prompt ?? true, model: condition?.model ?? true };
}

/** One of the arms, by their shares. */
export function drawCondition(conditions: readonly RoundCondition[], rng: Rng): RoundCondition | undefined {
  const total = conditions.reduce((sum, { share }) => sum + share, 0);
  let place = rng.next() * total;
  return conditions.find(({ share }) => (place -= share) < 0) ?? conditions.at(-1);
}
