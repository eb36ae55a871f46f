import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { LinesPut } from '@assay/contracts/rounds';
import { type Actor, AuditLog } from '@assay/identity/audit';
import { holdAdvisoryLock } from '@assay/persistence/locks';
import { auditedRound, type Round, type Task } from '@assay/tasks';
import type { DatasetRoom } from '@assay/tasks/datasets';
import { badLine, inputsOf, readExample, recordsOf } from '@assay/tasks/examples';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Annotation } from '../annotating/annotation.js';
import { AnnotationRepository } from '../annotating/annotation.repository.js';
import { bandsOf } from '../annotating/checks/minhash.js';
import { givenInputs, writtenInputs, writtenText } from './inputs.js';
import { Pseudonyms } from '../people/pseudonyms.js';
import { Context } from './context.js';
import { ContextRepository } from './context.repository.js';
import { idOf, type LineRecord, objectOf, putLines } from './storable-lines.js';

/** The number of lines that are written to the database together. */
const BATCH = 500;

/**
 * `example`: written elsewhere, and validated here like other examples. `check`: a gold check, with
 * a known label, to measure validators.
 */
type AttestedKind = 'example' | 'check';

interface AttestedLine {
  readonly place: number;
  readonly key: string;
  readonly record: LineRecord;
  /** The external ID of its context, as given in the line; null: none. */
  readonly contextId: string | null;
}

type AttestedContent = Pick<Annotation, 'input' | 'authorLabel' | 'fooled' | 'explanations' | 'extra' | 'pseudonym'>;

/** Imports examples that were written elsewhere. The owner attests to them. */
@Injectable()
export class ImportedExamples {
  constructor(
    private readonly em: EntityManager,
    private readonly pseudonyms: Pseudonyms,
  ) {}

  /**
   * Imports examples into an open round, one per line. An identical line that is already stored
   * changes nothing. Holds a database connection until the last line is read, so `source` must not
   * wait for a slow client.
   * @throws DomainError `bad_line` with the number of the line, `round_closed`, and the errors of
   *   `room`; nothing is stored in that case
   */
  async put(actor: Actor, round: Round, kind: AttestedKind, source: Readable, room?: DatasetRoom): Promise<LinesPut> {
    return this.em.fork().transactional(async (em) => {
      // one import into a round at a time: existing lines are looked up before new ones are added
      await holdAdvisoryLock(em, `attested ${round.id}`);
      const add = async (group: readonly AttestedLine[]) => {
        const fresh = await this.addGroup(em, round, kind, group);
        em.clear();
        return fresh.map(({ input, explanations, extra }) => [input, explanations, extra]);
      };
      const lines = attestedLines(round.task, kind, source);
      const { added, present } = await putLines(em, round, { lines, batch: BATCH, add, room });
      const counted = { round: round.id, source: 'attested' as const, isCheck: kind === 'check' };
      const total = await em.count(Annotation, counted);
      if (added > 0) {
        const subject = auditedRound(round);
        AuditLog.record(em, actor, { action: 'round.examples', subject, to: { added, total, kind } });
      }
      return { added, present, total };
    });
  }

  private async addGroup(
    em: EntityManager,
    round: Round,
    kind: AttestedKind,
    lines: readonly AttestedLine[],
  ): Promise<readonly Annotation[]> {
    const contexts = await contextsOf(em, round, lines);
    const keys = lines.map(({ key }) => key);
    const present = await em.find(Annotation, { round: round.id, source: 'attested', key: { $in: keys } });
    const known = new Map<string, AttestedContent>(present.map((each) => [each.key, each]));
    const added: Annotation[] = [];
    for (const line of lines) {
      const context = contextFor(contexts, line);
      const content = this.contentOf(round.task, line, context);
      const earlier = known.get(line.key);
      if (earlier) {
        expectSame(earlier, content, line.place);
        continue;
      }
      known.set(line.key, content);
      added.push(attestedAnnotation(em, round, { kind, key: line.key, content, context }));
    }
    await em.flush();
    if (kind === 'check') return added;
    const { id: taskId, definition } = round.task;
    for (const { id, input } of added) {
      await new AnnotationRepository(em).fingerprint(id, taskId, bandsOf(writtenText(definition, input), taskId));
    }
    await new ContextRepository(em).addImported(added.filter(({ context }) => context).map(({ id }) => id));
    return added;
  }

  private contentOf(task: Task, { place, record }: AttestedLine, context: Context | null): AttestedContent {
    const { definition } = task;
    const given = givenInputs(definition).map(({ name }) => name);
    const fromContext = Object.fromEntries(given.flatMap((name) => (context ? [[name, context.content[name]]] : [])));
    const fields = { ...fromContext, ...record };
    const outcome = readExample(definition, fields, place);
    if (!outcome.ok) throw badLine(place, outcome.why);
    const other = given.find((name) => context && !isDeepStrictEqual(fields[name], context.content[name]));
    if (other !== undefined) throw badLine(place, `"${other}" differs from that of its context`);
    const input = inputsOf(definition, fields);
    const empty = writtenInputs(definition).find((name) => String(input[name]).trim() === '');
    if (empty !== undefined) throw badLine(place, `"${empty}" is empty`);

    const known = new Set([...Object.keys(input), definition.output.name, 'id', 'uid', ...OWN_FIELDS]);
    const annotator = textOf(record, 'annotator', place) ?? '';
    return {
      input,
      authorLabel: outcome.example.gold,
      fooled: fooledOf(record, place),
      explanations: explanationsOf(record, place),
      extra: Object.fromEntries(Object.entries(record).filter(([name]) => !known.has(name))),
      pseudonym: this.pseudonyms.of(task.id, `attested:${annotator}`),
    };
  }
}

const OWN_FIELDS = ['contextId', 'annotator', 'fooled', 'explanations'] as const;

async function* attestedLines(task: Task, kind: AttestedKind, source: Readable): AsyncGenerator<AttestedLine> {
  const names = new Set([...task.definition.inputs.map(({ name }) => name), task.definition.output.name]);
  for await (const { place, record } of recordsOf(source)) {
    const line = objectOf(record, place);
    // hashed, because an ID may be longer than a key
    const key = `${kind}-${hash('sha256', idOf(line, place, names))}`;
    yield { place, key, record: line, contextId: textOf(line, 'contextId', place) };
  }
}

async function contextsOf(
  em: EntityManager,
  round: Round,
  lines: readonly AttestedLine[],
): Promise<ReadonlyMap<string, Context>> {
  const wanted = lines.flatMap(({ contextId }) => contextId ?? []);
  const found = await em.find(Context, { round: round.id, externalId: { $in: [...new Set(wanted)] } });
  return new Map(found.map((context) => [context.externalId, context]));
}

function contextFor(contexts: ReadonlyMap<string, Context>, { contextId, place }: AttestedLine): Context | null {
  if (contextId === null) return null;
  const context = contexts.get(contextId);
  if (context) return context;
  throw badLine(place, `this round has no context "${contextId}"`);
}

function expectSame(earlier: AttestedContent, { input, authorLabel, fooled }: AttestedContent, place: number): void {
  const isSame =
    isDeepStrictEqual(earlier.input, input) &&
    isDeepStrictEqual(earlier.authorLabel, authorLabel) &&
    (earlier.fooled ?? null) === fooled;
  if (!isSame) throw badLine(place, 'its id belongs to another example of this round');
}

function attestedAnnotation(
  em: EntityManager,
  round: Round,
  given: {
    readonly kind: AttestedKind;
    readonly key: string;
    readonly content: AttestedContent;
    readonly context: Context | null;
  },
): Annotation {
  return em.create(Annotation, {
    ...given.content,
    round: round.id,
    context: given.context,
    key: given.key,
    source: 'attested',
    isCheck: given.kind === 'check',
    label: given.content.authorLabel,
    answers: [],
    answeredAt: new Date(),
  });
}

function textOf(record: LineRecord, name: string, place: number): string | null {
  const value = record[name] ?? null;
  if (value === null || (typeof value === 'string' && value !== '' && value.length <= 200)) return value;
  throw badLine(place, `"${name}" is not a text of 1 to 200 characters`);
}

function fooledOf(record: LineRecord, place: number): boolean | null {
  const value = record['fooled'] ?? null;
  if (value === null || typeof value === 'boolean') return value;
  throw badLine(place, '"fooled" is neither true nor false');
}

function explanationsOf(record: LineRecord, place: number): Annotation['explanations'] {
  const value = record['explanations'] ?? {};
  const isGiven =
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.entries(value).every(
      ([name, text]) => (name === 'example' || name === 'model') && typeof text === 'string' && text.length <= 10_000,
    );
  if (!isGiven) throw badLine(place, '"explanations" is not an object with the texts "example" and "model"');
  return value;
}
