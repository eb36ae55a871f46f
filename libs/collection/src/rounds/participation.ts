import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const ParticipationSchema = defineEntity({
  name: 'Participation',
  uniques: [{ properties: ['round', 'user'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    user: () => p.manyToOne(User),
    /** The arm that was drawn for them; null where the round has none. */
    condition: p.string().length(40).nullable(),
    /** What they tried out on `trialsOn`. */
    trials: p.integer().default(0),
    /** A day of UTC, as in 2026-12-31; null: they have tried out nothing. */
    trialsOn: p.string().length(10).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** That somebody takes part in a round, and in which arm. */
export class Participation extends ParticipationSchema.class {}
ParticipationSchema.setClass(Participation);
