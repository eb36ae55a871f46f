import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const count = () => p.integer().default(0);

const ValidatorCountSchema = defineEntity({
  name: 'ValidatorCount',
  properties: {
    round: () => p.manyToOne(Round).primary().deleteRule('cascade'),
    pseudonym: p.string().length(64).primary(),
    /** Assigned examples, gold checks among them. */
    handedOut: count(),
    /** Those of `handedOut` with a verdict. */
    answered: count(),
    /** Those of `answered` that are no gold checks and have a decision other than `undecided`. */
    decided: count(),
    /** Those of `decided` whose verdict agrees with the decision. */
    agreeing: count(),
    /** Gold checks with a label or a verdict. */
    checks: count(),
    /** Those of `checks` with the known label. */
    rightChecks: count(),
    /** Those of `decided` and `checks` for which `Validation.agrees` is not stored yet. */
    uncompared: count(),
    /** Those of `handedOut` that are no gold checks. */
    examples: count(),
    /** Those of `examples` that did not fool their target models. */
    nonFooling: count(),
  },
});

/**
 * The numbers of validations of one validator in a round. Decisions of owners and validations of
 * retracted examples do not count. The triggers on `validation` and `annotation` update them in the
 * transaction of each change, so they are always exact.
 */
export class ValidatorCount extends ValidatorCountSchema.class {}
ValidatorCountSchema.setClass(ValidatorCount);

const ANSWERED = `v.verdict is not null`;
const DECIDED = `${ANSWERED} and not a.is_check and a.outcome not in ('pending', 'undecided')`;
const CHECKED = `a.is_check and (jsonb_typeof(v.label) = 'array' or ${ANSWERED})`;

/** The counters by column, each with the SQL condition for a validation `v` of an annotation `a` to count. */
const COUNTERS: Readonly<Record<string, string>> = {
  handed_out: 'true',
  answered: ANSWERED,
  decided: DECIDED,
  agreeing: `${DECIDED} and v.agrees is true`,
  checks: CHECKED,
  right_checks: `${CHECKED} and v.agrees is true`,
  uncompared: `(${DECIDED} or ${CHECKED}) and v.agrees is null`,
  examples: `not a.is_check`,
  non_fooling: `not a.is_check and a.fooled is not true`,
};

const columns = Object.keys(COUNTERS);

/**
 * SQL that adds to the counters of each validator in `source`, which has `v` and `a` and a `sign`.
 * The order avoids deadlocks between transactions that change the same counters.
 */
const addFrom = (source: string): string =>
  [
    `insert into validator_count (round_id, pseudonym, ${columns.join(', ')})`,
    `select a.round_id, v.pseudonym, ${columns.map((column) => `sum(sign * ((${COUNTERS[column]}) is true)::int)`).join(', ')}`,
    `from ${source} and not v.by_owner and a.retracted_at is null group by a.round_id, v.pseudonym order by a.round_id, v.pseudonym`,
    `on conflict (round_id, pseudonym) do update set`,
    `${columns.map((column) => `${column} = validator_count.${column} + excluded.${column}`).join(', ')};`,
  ].join(' ');

const valuesOf = (row: string, names: readonly string[]): string => names.map((name) => `${row}.${name}`).join(', ');

/** The rows that a trigger removes and adds, as `name`. */
const changed = (name: string, columns: readonly string[]): string =>
  `(values (-1, ${valuesOf('old', columns)}), (1, ${valuesOf('new', columns)})) ${name}(sign, ${columns.join(', ')})`;

const OF_VALIDATION = ['annotation_id', 'pseudonym', 'label', 'verdict', 'by_owner', 'agrees'];

/**
 * The body of the trigger after a change of a validation. Locks the annotation, so that its decision
 * and its validations are counted one at a time. A verdict may decide the annotation, which changes
 * the counters of all its validators: they are locked in order.
 */
export const COUNT_VALIDATION = [
  `if tg_op = 'UPDATE' and (${valuesOf('new', [...OF_VALIDATION, 'seconds'])}) is not distinct from`,
  `(${valuesOf('old', [...OF_VALIDATION, 'seconds'])}) then return null; end if;`,
  `perform 1 from annotation where id in (old.annotation_id, new.annotation_id) for no key update;`,
  `if new.verdict is distinct from old.verdict then perform 1 from validator_count c join annotation a on a.round_id = c.round_id`,
  `where a.id = new.annotation_id and c.pseudonym in (select pseudonym from validation where annotation_id = a.id)`,
  `order by c.pseudonym for no key update of c; end if;`,
  addFrom(`${changed('v', OF_VALIDATION)} join annotation a on a.id = v.annotation_id where true`),
  `return null;`,
].join(' ');

const OF_ANNOTATION = ['round_id', 'is_check', 'fooled', 'outcome', 'retracted_at'];

/**
 * The body of the trigger before a change of an annotation: before, because a deletion deletes its
 * validations.
 */
export const COUNT_DECISION = [
  `if tg_op = 'DELETE' or (${valuesOf('new', OF_ANNOTATION)}) is distinct from (${valuesOf('old', OF_ANNOTATION)}) then`,
  addFrom(`${changed('a', OF_ANNOTATION)} join validation v on v.annotation_id = old.id where a.round_id is not null`),
  `end if; if tg_op = 'DELETE' then return old; end if; return new;`,
].join(' ');
