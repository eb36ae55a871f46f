import type { DataCard } from '@assay/contracts/datasets';

const FEW_VALIDATIONS = 2;
const MUCH_OF_ONE = 0.2;
const FEW_ANNOTATORS = 10;

const percent = (share: number): string => `${(100 * share).toFixed(0)}%`;

/**
 * Returns the limitations that users of the data should keep in mind, as far as the figures show
 * them.
 */
export function knownLimits(card: Omit<DataCard, 'limits'>): string[] {
  const { examples, people, agreement, licence, consent, models, conditions } = card;
  const pending = (examples.outcomes['pending'] ?? 0) + (examples.outcomes['undecided'] ?? 0);
  return [
    'Examples were written to fool the models in the loop. ' +
      'They are harder for these and similar models than for others, ' +
      'and are not a sample of what people write elsewhere.',
    ...(models.length === 1 ? ['Only one model was in the loop. Its weaknesses shape the whole round.'] : []),
    ...(people.annotators > 0 && people.annotators < FEW_ANNOTATORS
      ? [`Only ${people.annotators} people wrote examples. Their style is in every split.`]
      : []),
    ...(people.largestShare !== null && people.largestShare > MUCH_OF_ONE && people.annotators > 1
      ? [`One person wrote ${percent(people.largestShare)} of the examples.`]
      : []),
    ...(examples.attested > 0
      ? [`${examples.attested} of ${examples.submitted} examples were imported. The owner of the task attests to them.`]
      : []),
    ...(pending > 0 ? [`${pending} examples had no consensus of validators and are in no split.`] : []),
    ...(examples.decidedByOwner > 0 ? [`${examples.decidedByOwner} examples were decided by the owner alone.`] : []),
    ...(agreement.validations < FEW_VALIDATIONS * examples.submitted
      ? ['There are fewer than two validations per example.']
      : []),
    ...(conditions.length > 1
      ? ['Conditions differ in what annotators saw. Compare only examples of the same condition.']
      : []),
    ...(examples.removed > 0
      ? [
          `The texts of ${examples.removed} examples were removed at the request of their authors. ` +
            'Earlier copies still contain them.',
        ]
      : []),
    ...(consent.version === null ? ['The task did not ask annotators for consent.'] : []),
    ...(licence.name === null ? ['The task names no licence. Ask its owner before you publish derived work.'] : []),
    ...(consent.contentWarning === null ? [] : ['Texts can be disturbing. See the content warning.']),
  ];
}
