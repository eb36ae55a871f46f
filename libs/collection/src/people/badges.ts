import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

/**
 * The counts that badges are awarded for, with descriptions for people. Tasks with a content
 * warning count for none, because their content is nothing to celebrate.
 */
export const BADGE_COUNTS = {
  fooling: 'examples of yours that fooled a model and that validators found correct',
  streak: 'days in a row (of UTC) on which you wrote an example',
  validations: 'validations of yours that agree with what was decided',
  models: 'models that you submitted',
  loop: 'models of yours that were put in the loop',
} as const;
type BadgeCount = keyof typeof BADGE_COUNTS;
export type BadgeCounts = Readonly<Record<BadgeCount, number>>;

interface Badge {
  /** Stable: stored awards refer to it. */
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly counts: BadgeCount;
  /** The count that earns the badge. */
  readonly needed: number;
}

/** The badges of each count: code, name, description, and the count that earns it. */
const EARNED: Readonly<Record<BadgeCount, readonly (readonly [string, string, string, number])[]>> = {
  fooling: [
    ['first-fool', 'First fool', 'One validated example that fooled a model', 1],
    ['fooling-10', 'Trickster', '10 validated examples that fooled a model', 10],
    ['fooling-50', 'Prankster', '50 validated examples that fooled a model', 50],
    ['fooling-100', 'Illusionist', '100 validated examples that fooled a model', 100],
    ['fooling-500', 'Adversary', '500 validated examples that fooled a model', 500],
    ['fooling-1000', 'Nemesis', '1000 validated examples that fooled a model', 1000],
  ],
  streak: [
    ['streak-3', 'Three days', 'An example on each of 3 days in a row', 3],
    ['streak-7', 'A week', 'An example on each of 7 days in a row', 7],
    ['streak-30', 'A month', 'An example on each of 30 days in a row', 30],
  ],
  validations: [
    ['validator-10', 'Second pair of eyes', '10 validations that agree with what was decided', 10],
    ['validator-100', 'Referee', '100 validations that agree with what was decided', 100],
    ['validator-1000', 'Judge', '1000 validations that agree with what was decided', 1000],
  ],
  models: [
    ['models-1', 'Builder', 'A model submitted', 1],
    ['models-10', 'Workshop', '10 models submitted', 10],
  ],
  loop: [['in-the-loop', 'In the loop', 'A model of yours was put in the loop', 1]],
};

/** All badges. */
export const BADGES: readonly Badge[] = Object.entries(EARNED).flatMap(([counts, badges]) =>
  badges.map(([code, name, description, needed]) => ({
    code,
    name,
    description,
    counts: counts as BadgeCount,
    needed,
  })),
);

const BadgeAwardSchema = defineEntity({
  name: 'BadgeAward',
  uniques: [{ properties: ['user', 'badge'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User),
    /** A code of `BADGES`. */
    badge: p.string().length(40),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A badge that a user earned. It stays, whatever happens to what it was earned with. */
export class BadgeAward extends BadgeAwardSchema.class {}
BadgeAwardSchema.setClass(BadgeAward);
