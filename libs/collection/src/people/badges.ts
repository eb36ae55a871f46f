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
export type BadgeCount = keyof typeof BADGE_COUNTS;
export type BadgeCounts = Readonly<Record<BadgeCount, number>>;

export interface Badge {
  /** Stable: stored awards refer to it. */
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly counts: BadgeCount;
  /** The count that earns the badge. */
  readonly needed: number;
}

/** All badges. */
export const BADGES: readonly Badge[] = [
  {
    code: 'first-fool',
    name: 'First fool',
    description: 'One validated example that fooled a model',
    counts: 'fooling',
    needed: 1,
  },
  {
    code: 'fooling-10',
    name: 'Trickster',
    description: '10 validated examples that fooled a model',
    counts: 'fooling',
    needed: 10,
  },
  {
    code: 'fooling-50',
    name: 'Prankster',
    description: '50 validated examples that fooled a model',
    counts: 'fooling',
    needed: 50,
  },
  {
    code: 'fooling-100',
    name: 'Illusionist',
    description: '100 validated examples that fooled a model',
    counts: 'fooling',
    needed: 100,
  },
  {
    code: 'fooling-500',
    name: 'Adversary',
    description: '500 validated examples that fooled a model',
    counts: 'fooling',
    needed: 500,
  },
  {
    code: 'fooling-1000',
    name: 'Nemesis',
    description: '1000 validated examples that fooled a model',
    counts: 'fooling',
    needed: 1000,
  },
  {
    code: 'streak-3',
    name: 'Three days',
    description: 'An example on each of 3 days in a row',
    counts: 'streak',
    needed: 3,
  },
  {
    code: 'streak-7',
    name: 'A week',
    description: 'An example on each of 7 days in a row',
    counts: 'streak',
    needed: 7,
  },
  {
    code: 'streak-30',
    name: 'A month',
    description: 'An example on each of 30 days in a row',
    counts: 'streak',
    needed: 30,
  },
  {
    code: 'validator-10',
    name: 'Second pair of eyes',
    description: '10 validations that agree with what was decided',
    counts: 'validations',
    needed: 10,
  },
  {
    code: 'validator-100',
    name: 'Referee',
    description: '100 validations that agree with what was decided',
    counts: 'validations',
    needed: 100,
  },
  {
    code: 'validator-1000',
    name: 'Judge',
    description: '1000 validations that agree with what was decided',
    counts: 'validations',
    needed: 1000,
  },
  { code: 'models-1', name: 'Builder', description: 'A model submitted', counts: 'models', needed: 1 },
  { code: 'models-10', name: 'Workshop', description: '10 models submitted', counts: 'models', needed: 10 },
  {
    code: 'in-the-loop',
    name: 'In the loop',
    description: 'A model of yours was put in the loop',
    counts: 'loop',
    needed: 1,
  },
];
