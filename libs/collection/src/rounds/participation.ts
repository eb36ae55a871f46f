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
