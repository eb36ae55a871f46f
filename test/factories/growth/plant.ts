/** The amount of planted data. */
export interface GrowthSize {
  /** Tasks with a board, besides the one with many models. */
  readonly tasks: number;
  /** Models of one task. */
  readonly models: number;
  /** Contexts of one round. */
  readonly contexts: number;
  /** Annotations of that round, pending ones included. */
  readonly annotations: number;
  readonly pending: number;
  /** Validations of the decided annotations: two or three of each. */
  readonly validations: number;
}

/** The amount of data for which the goals of a growing service are set. */
export const GROWN: GrowthSize = {
  tasks: 505,
  models: 20_000,
  contexts: 20_000,
  annotations: 200_000,
  pending: 60_000,
  validations: 359_640,
};

/** Returns the size with every number divided by `divisor`. */
export const dividedBy = (size: GrowthSize, divisor: number): GrowthSize => ({
  tasks: Math.ceil(size.tasks / divisor),
  models: Math.ceil(size.models / divisor),
  contexts: Math.ceil(size.contexts / divisor),
  annotations: Math.ceil(size.annotations / divisor),
  pending: Math.ceil(size.pending / divisor),
  validations: Math.ceil(size.validations / divisor),
});

/** Runs one SQL statement without parameters. */
export type Execute = (statement: string) => Promise<unknown>;

/** The people of a planted round. A validator has two or three validations of an annotation among them. */
const ANNOTATORS = 500;
const VALIDATORS = 301;

/** The number of annotations whose validations are planted together. */
const PLANTED = 1_000;

/**
 * Adds an open round to a task, with its contexts, annotations and validations. The rows are as the
 * API would have left them. They are made inside the database, which takes seconds for 200,000
 * annotations.
 * @param task the ID of a task without rounds, whose output is a label
 * @param target the ID of the model that all annotations were written against
 * @param labels the labels of the task
 * @returns the ID of the round
 */
export async function plantRound(
  execute: Execute,
  { task, target, labels }: { readonly task: string; readonly target: string; readonly labels: readonly string[] },
  size: GrowthSize,
): Promise<string> {
  const round = '00000000-0000-7000-8000-000000000001';
  await execute(
    `insert into round (id, task_id, number, state, imported, description, settings, opened_at, put_bytes, created_at)
     values ('${round}', '${task}', 1, 'open', false, '', '{"turn": {}, "conditions": [], "shares": {"train": 0.8, "dev": 0.1, "test": 0.1}}',
       now() - interval '30 days', 0, now() - interval '30 days')`,
  );
  await execute(people('annotator', ANNOTATORS));
  await execute(people('validator', VALIDATORS));
  await execute(
    `insert into round_context (id, round_id, external_id, content, metadata, created_at)
     select ${id('c', 'i')}, '${round}', i::text, jsonb_build_object('text', 'Passage ' || i || ' is about a place.'), '{}',
       now() - interval '30 days'
     from generate_series(1, ${size.contexts}) i`,
  );
  await execute(annotations(round, target, labels, size));
  const decided = size.annotations - size.pending;
  // the counters of validators change with every row: a short transaction lets the database reuse their old rows
  for (let first = 1; first <= decided; first += PLANTED) {
    await execute(validations(labels, size, { first, last: Math.min(decided, first + PLANTED - 1) }));
  }
  await execute(
    `update round_context c set annotations = counted.n, fooled = counted.fooled
     from (select context_id, count(*) as n, count(*) filter (where fooled) as fooled from annotation
            where round_id = '${round}' group by context_id) counted
     where counted.context_id = c.id`,
  );
  // cleans up now, so that the database does not do it during a measurement
  for (const table of [
    'round_context',
    'annotation',
    'validation',
    'user_account',
    'annotator_count',
    'validator_count',
  ]) {
    await execute(`vacuum analyze ${table}`);
  }
  return round;
}

/**
 * Adds copies of a task with its boards.
 * @param slug the slug of the task; the copies append a number to it
 */
export async function plantTasks(execute: Execute, slug: string, count: number): Promise<void> {
  const renamed = (column: string, key: string): string =>
    `jsonb_set(${column}, '{${key}}', to_jsonb(t.slug || '-' || i))`;
  await execute(
    `insert into task (id, slug, owner_id, definition, limits_submitters, created_at, updated_at)
     select ${id('d', 'i')}, t.slug || '-' || i, t.owner_id, ${renamed('t.definition', 'slug')}, t.limits_submitters,
       t.created_at + i * interval '1 millisecond', t.updated_at
     from task t, generate_series(1, ${count}) i where t.slug = '${slug}'`,
  );
  await execute(
    `insert into board_revision (id, task_id, number, benchmark_version, content, model_rows, exact_model_rows, official_ranks,
       digest, published_at)
     select gen_random_uuid(), ${id('d', 'i')}, b.number, b.benchmark_version, ${renamed('b.content', 'task')}, b.model_rows,
       b.exact_model_rows, b.official_ranks, b.digest, b.published_at
     from board_revision b join task t on t.id = b.task_id, generate_series(1, ${count}) i where t.slug = '${slug}'`,
  );
  await execute(
    `insert into board_summary (task_id, revision, disclosed, exact)
     select ${id('d', 'i')}, b.revision, b.disclosed, b.exact
     from board_summary b join task t on t.id = b.task_id, generate_series(1, ${count}) i where t.slug = '${slug}'`,
  );
  for (const table of ['task', 'board_revision', 'board_summary']) await execute(`vacuum analyze ${table}`);
}

/** SQL for the ID of the row with number `number` of a kind, a hexadecimal digit. */
const id = (kind: string, number: string): string =>
  `('${kind}0000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

const KINDS = { annotator: 'a', validator: 'b' } as const;

const people = (kind: keyof typeof KINDS, count: number): string =>
  `insert into user_account (id, username, username_key, email, role, created_at)
   select ${id(KINDS[kind], 'i')}, 'planted-${kind}-' || i, 'planted-${kind}-' || i, 'planted-${kind}-' || i || '@example.org', 'user', now()
   from generate_series(0, ${count - 1}) i`;

/** SQL for the pseudonym of a planted person: as long as a real one. */
const pseudonym = (kind: keyof typeof KINDS, number: string): string =>
  `encode(sha256(('${kind}' || ${number})::bytea), 'hex')`;

/** SQL for a label of the list, as JSON, by a number. */
const label = (labels: readonly string[], number: string): string =>
  `jsonb_build_array((array['${labels.join("','")}'])[1 + ${number} % ${labels.length}])`;

/** SQL for the outcome of the annotation with number `i`. The first ones are decided. */
const outcome = ({ annotations: all, pending }: GrowthSize): string =>
  `case when i > ${all - pending} then 'pending' when i % 20 < 14 then 'validated' when i % 20 < 18 then 'rejected'
     when i % 20 < 19 then 'flagged' else 'undecided' end`;

const annotations = (round: string, target: string, labels: readonly string[], size: GrowthSize): string =>
  `insert into annotation (id, round_id, context_id, annotator_id, pseudonym, key, source, input, author_label, label, fooled,
     answers, target_id, explanations, extra, seconds, answered_at, outcome, decided_at, created_at)
   select ${id('e', 'i')}, '${round}', ${id('c', `1 + i % ${size.contexts}`)}, ${id('a', `i % ${ANNOTATORS}`)},
     ${pseudonym('annotator', `i % ${ANNOTATORS}`)}, i::text, 'written',
     jsonb_build_object('text', 'Writer ' || i % ${ANNOTATORS} || ' has sentence ' || i || ' to say about this place and about nothing else.'),
     ${label(labels, 'i')}, ${label(labels, 'i')}, i % 10 < 3,
     jsonb_build_array(jsonb_build_object('model', '${target}', 'specification', '${target}', 'answer',
       ${label(labels, '(i + case when i % 10 < 3 then 1 else 0 end)')} ->> 0, 'milliseconds', 12.5, 'at', '2026-01-01T00:00:00Z')),
     '${target}', '{}', '{}', 30 + i % 90, made.at, ${outcome(size)},
     case when i > ${size.annotations - size.pending} then null else made.at + interval '1 hour' end, made.at
   from generate_series(1, ${size.annotations}) i
     cross join lateral (select now() - (${size.annotations} - i) * interval '10 seconds' as at) made`;

/** Two validations of each decided annotation in the range, and a third one of the first ones. */
function validations(
  labels: readonly string[],
  { annotations: all, pending, validations: count }: GrowthSize,
  { first, last }: { readonly first: number; readonly last: number },
): string {
  const decided = all - pending;
  return `insert into validation (id, annotation_id, validator_id, pseudonym, label, verdict, agrees, extra, seconds, created_at, answered_at)
   select ${id('f', `i * 4 + turn`)}, ${id('e', 'i')}, ${id('b', by)}, ${pseudonym('validator', by)},
     ${label(labels, '(i + case when i % 20 < 14 then 0 else 1 end)')},
     case when i % 20 < 14 then 'correct' when i % 20 = 18 then 'flagged' else 'incorrect' end,
     case when i % 20 < 19 then true end, '{}', 10 + i % 50, given.at, given.at
   from generate_series(${first}, ${last}) i
     cross join lateral generate_series(1, case when i <= ${count - 2 * decided} then 3 else 2 end) turn
     cross join lateral (select now() - (${all} - i) * interval '10 seconds' + turn * interval '5 minutes' as at) given`;
}

/** SQL for the number of the validator of an annotation `i` in a turn. */
const by = `((i * 7 + turn * 31) % ${VALIDATORS})`;
