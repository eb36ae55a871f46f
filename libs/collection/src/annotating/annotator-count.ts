import { ANNOTATION_OUTCOMES, type AnnotationOutcome } from '@assay/contracts/collection';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const count = () => p.integer().default(0);

const AnnotatorCountSchema = defineEntity({
  name: 'AnnotatorCount',
  properties: {
    round: () => p.manyToOne(Round).primary().deleteRule('cascade'),
    pseudonym: p.string().length(64).primary(),
    source: p.string().length(10).$type<'written' | 'attested'>().primary(),
    /** The user. Null if they are imported examples, or if the link to the account was removed. */
    annotatorId: p.uuid().nullable(),
    /** Examples that are not retracted. */
    examples: count(),
    retracted: count(),
    /** Those of `examples` whose answers have arrived. */
    answered: count(),
    /** Those of `answered` that fooled their target models. */
    fooled: count(),
    /** Those of `answered`, by outcome. */
    pending: count(),
    validated: count(),
    rejected: count(),
    flagged: count(),
    undecided: count(),
    /** Those of `examples` for which it is known whether they fooled their target models. */
    faced: count(),
    /** Pending ones of `faced`. */
    facedPending: count(),
    /** Validated ones of `faced`. */
    facedValidated: count(),
    /** Validated ones of `examples` that fooled their target models. */
    validatedFooling: count(),
  },
});

/**
 * The numbers of examples of one annotator in a round, by source. Gold checks do not count. The
 * trigger on `annotation` updates them in the transaction of each change, so they are always exact.
 */
export class AnnotatorCount extends AnnotatorCountSchema.class {}
AnnotatorCountSchema.setClass(AnnotatorCount);

/** The counters by column, each with the SQL condition for the row `row` of `annotation` to count. */
const COUNTERS: Readonly<Record<string, (row: string) => string>> = {
  examples: (row) => `${row}.retracted_at is null`,
  retracted: (row) => `${row}.retracted_at is not null`,
  answered: (row) => isAnswered(row),
  fooled: (row) => `${isAnswered(row)} and ${row}.fooled is true`,
  ...Object.fromEntries(
    ANNOTATION_OUTCOMES.map((outcome: AnnotationOutcome) => [
      outcome,
      (row: string) => `${isAnswered(row)} and ${row}.outcome = '${outcome}'`,
    ]),
  ),
  faced: (row) => isFaced(row),
  faced_pending: (row) => `${isFaced(row)} and ${row}.outcome = 'pending'`,
  faced_validated: (row) => `${isFaced(row)} and ${row}.outcome = 'validated'`,
  validated_fooling: (row) => `${isFaced(row)} and ${row}.fooled and ${row}.outcome = 'validated'`,
};

const isAnswered = (row: string): string => `${row}.retracted_at is null and ${row}.answered_at is not null`;
const isFaced = (row: string): string => `${row}.retracted_at is null and ${row}.fooled is not null`;

/**
 * The values of an annotation that the statistics of its round depend on. A change of any of them
 * writes the row of counters, which changes their version (see `CountVersionRepository`).
 */
const counted = (row: string): string =>
  [
    ...[
      'round_id',
      'pseudonym',
      'source',
      'annotator_id',
      'is_check',
      'retracted_at',
      'answered_at',
      'fooled',
      'outcome',
    ],
    ...['target_id', 'label', 'decided_by_owner', 'seconds', 'edit_distance'],
  ]
    .map((column) => `${row}.${column}`)
    .concat(`${row}.answers = '[]'`, `${row}.explanations <> '{}'`, `${row}.input = '{}'`)
    .join(', ');

const columns = Object.keys(COUNTERS);
const valuesOf = (row: string): readonly string[] => columns.map((column) => `(${COUNTERS[column]!(row)})::int`);
const subtracted = columns.map((column, place) => `${column} = ${column} - ${valuesOf('old')[place]}`);
const added = columns.map((column) => `${column} = annotator_count.${column} + excluded.${column}`);

/** The body of the trigger: subtracts the old row, adds the new one. */
export const COUNT_ANNOTATION = [
  `if tg_op = 'UPDATE' and (${counted('new')}) is not distinct from (${counted('old')}) then return null; end if;`,
  `if tg_op <> 'INSERT' and not old.is_check then update annotator_count set ${subtracted.join(', ')}`,
  `where round_id = old.round_id and pseudonym = old.pseudonym and source = old.source; end if;`,
  `if tg_op <> 'DELETE' and not new.is_check then insert into annotator_count (round_id, pseudonym, source, annotator_id, ${columns.join(', ')})`,
  `values (new.round_id, new.pseudonym, new.source, new.annotator_id, ${valuesOf('new').join(', ')})`,
  `on conflict (round_id, pseudonym, source) do update set annotator_id = excluded.annotator_id, ${added.join(', ')}; end if; return null;`,
].join(' ');
