import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { ContextView, LinesPut } from '@assay/contracts/rounds';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { type Actor, AuditLog } from '@assay/identity/audit';
import { DomainError, firstPage } from '@assay/kernel';
import { auditedRound, type Round, roundName } from '@assay/tasks';
import { type DatasetRoom } from '@assay/tasks/datasets';
import { badLine, recordsOf, wrongInput } from '@assay/tasks/examples';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { givenInputs } from './inputs.js';
import { Context } from './context.js';
import { ContextRepository, type GivenContext } from './context.repository.js';
import { idOf, type LineRecord, objectOf, putLines, tagsOf } from './storable-lines.js';

/** The number of lines that are written to the database together. */
const BATCH = 1_000;

interface ContextLine extends GivenContext {
  readonly place: number;
}

@Injectable()
export class ContextsService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Adds any number of contexts to an open round, one per line. An identical line that is already
   * stored changes nothing. Holds a database connection until the last line is read, so `source`
   * must not wait for a slow client.
   * @throws DomainError `bad_line` with the number of the line, `round_closed`, and the errors of
   *   `room`; nothing is stored in that case
   */
  async put(actor: Actor, round: Round, source: Readable, room?: DatasetRoom): Promise<LinesPut> {
    const task = round.task.definition;
    return this.em.fork().transactional(async (em) => {
      const add = (lines: readonly ContextLine[]) => addGroup(em, round.id, lines);
      const { added, present } = await putLines(em, round, {
        lines: contextLines(task, source),
        batch: BATCH,
        add,
        room,
      });
      const total = await em.count(Context, { round: round.id });
      if (added > 0) {
        AuditLog.record(em, actor, { action: 'round.contexts', subject: auditedRound(round), to: { added, total } });
      }
      return { added, present, total };
    });
  }

  /**
   * Lists contexts in the order in which they were added, starting after `cursor`.
   * @throws DomainError `unknown_cursor`
   */
  async list(
    round: Round,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<{ readonly items: ContextView[]; readonly nextCursor?: string }> {
    if (cursor !== undefined && !z.guid().safeParse(cursor).success) {
      throw new DomainError('invalid', 'unknown_cursor', 'Invalid cursor. Repeat the request without `cursor`.');
    }
    const where = { round, ...(cursor !== undefined && { id: { $gt: cursor } }) };
    const found = await this.em.find(Context, where, { orderBy: { id: 'asc' }, limit: limit + 1 });
    const { items, ...next } = firstPage(found, { limit }, ({ id }) => id);
    return { items: items.map(contextView), ...next };
  }

  /** Returns the context with its round and task loaded, or null. */
  async find(id: string): Promise<Context | null> {
    return this.em.findOne(Context, id, { populate: ['round.task.owner'] });
  }

  async change(actor: Actor, context: Context, { active }: { readonly active: boolean }): Promise<ContextView> {
    const { id, round } = context;
    const subject = { kind: 'context' as const, id, name: roundName(round) };
    const changes = { from: { active: context.active }, to: { active } };
    AuditLog.recordChange(this.em, actor, { action: 'context.changed', subject }, changes);
    context.active = active;
    await this.em.flush();
    return contextView(context);
  }
}

async function* contextLines(task: TaskDefinition, source: Readable): AsyncGenerator<ContextLine> {
  const given = givenInputs(task);
  const inputs = new Set(task.inputs.map(({ name }) => name));
  const own = (name: string): boolean => given.some((input) => input.name === name);
  for await (const { place, record } of recordsOf(source)) {
    const line = objectOf(record, place);
    const content: Record<string, unknown> = {};
    for (const { name, type } of given) {
      const value = line[name];
      const why = wrongInput(type, value) ?? (typeof value === 'string' && value.trim() === '' ? 'is empty' : null);
      if (why !== null) throw badLine(place, `"${name}" ${why}`);
      content[name] = value;
    }
    const prompt = own('prompt') ? undefined : promptOf(task, line, place);
    if (prompt !== undefined) content['prompt'] = prompt;
    const externalId = idOf(line, place, inputs);
    const known = new Set([...given.map(({ name }) => name), 'prompt', 'tags', 'id', 'uid']);
    const metadata = Object.fromEntries(Object.entries(line).filter(([name]) => !known.has(name)));
    yield { place, externalId, content, tags: own('tags') ? [] : tagsOf(line, place), metadata };
  }
}

function promptOf(task: TaskDefinition, line: LineRecord, place: number): string | undefined {
  const prompt = line['prompt'];
  if (prompt === undefined && task.collection?.prompt !== 'required') return undefined;
  if (typeof prompt === 'string' && prompt.trim() !== '') return prompt;
  throw badLine(place, '"prompt" is not a text');
}

/**
 * Adds the lines whose ID is not stored yet, and returns the stored fields of each as one value.
 * @throws DomainError `bad_line` if another line with that ID is stored
 */
async function addGroup(em: EntityManager, round: string, lines: readonly ContextLine[]): Promise<readonly [object][]> {
  const contexts = new ContextRepository(em);
  const added = new Set(await contexts.add(round, lines));
  const others = lines.filter((line) => !added.has(line));
  const ids = others.map(({ externalId }) => externalId);
  const known = new Map((await contexts.given(round, ids)).map((context) => [context.externalId, context]));
  for (const { place, ...line } of others) {
    if (isDeepStrictEqual(known.get(line.externalId), line)) continue;
    throw badLine(place, `the id "${line.externalId}" belongs to another context of this round`);
  }
  return Array.from(added, ({ content, tags, metadata }) => [{ content, tags, metadata }]);
}

const contextView = (context: Context): ContextView => ({
  id: context.id,
  externalId: context.externalId,
  content: { ...context.content },
  tags: [...context.tags],
  metadata: { ...context.metadata },
  annotations: context.annotations,
  fooled: context.fooled,
  skips: context.skips,
  flags: context.flags,
  active: context.active,
});
