import type { LeaderboardQuery, LeaderboardView } from '@assay/contracts/boards';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { Notifications } from '@assay/persistence/outbox';
import { ownsTask, Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type BoardContent, type BoardModel, withoutFailedUploads } from './board-content.js';
import { type ContentEncoding, jsonBody, type ResponseBody } from '../formats/encoded-body.js';
import { matrixBody } from './matrix-body.js';
import { type BoardDecision, boardDecision } from './board-decision.js';
import { BoardResamples } from './board-resamples.js';
import { BoardRevision } from './board-revision.js';
import { BoardRevisionRepository } from './board-revision.repository.js';
import { presentBoard, rankRevision, seedOf, type PublishedBoard, type RankedRevision } from './leaderboard-view.js';
import { neededResamples, rankCertaintyInTurns } from './rank-certainty.js';
import type { RatesOrigin } from '../promotions/rate-explanation.js';
import { RevisionLookup } from './revision-lookup.js';
import { familyOf, type StoredRanks } from './stored-ranks.js';
import { isOfficial, officialBoard, weigh, weighingOf } from './weighed-board.js';

/** A board revision in memory, detached from the ORM. */
export interface CachedRevision extends PublishedBoard {
  readonly id: string;
  /** The stored rank intervals under the task's own weights. Null: they are computed. */
  readonly officialRanks: StoredRanks | null;
}

/** A revision in the cache: as everybody sees it and, if that has rounded scores, with exact ones. */
interface StoredRevision {
  readonly disclosed: CachedRevision;
  readonly exact: CachedRevision | null;
}

/**
 * The limits of the revision cache: cells (models × datasets) and revisions. A busy task publishes
 * a revision every few seconds.
 */
const CACHED_CELLS = 200_000;
const CACHED_REVISIONS = 16;
/**
 * The number of cached rankings with rank intervals, which take many times as long to compute. Those
 * without take one or two milliseconds and are not cached.
 */
const CACHED_RANKINGS = 200;
/** The maximum size of the cached responses, in bytes. */
const CACHED_BYTES = 128 * 2 ** 20;
/**
 * Completes a computation even if its entry is evicted in the meantime, because a request waits for
 * the result.
 */
const PATIENT = { ignoreFetchAbort: true };

@Injectable()
export class LeaderboardService {
  private readonly lookup: RevisionLookup;
  private readonly revisions = new LRUCache<string, StoredRevision>({
    ...PATIENT,
    max: CACHED_REVISIONS,
    maxSize: CACHED_CELLS,
    sizeCalculation: ({ disclosed: { content }, exact }) =>
      Math.min(CACHED_CELLS, (exact ? 2 : 1) * (content.models.length + 1) * (content.datasets.length + 1)),
    fetchMethod: (id) => this.read(id),
    // rankings refer to the content, so they are dropped with it
    dispose: (_revision, id) => forgetOf(this.rankings, id),
  });
  /** By digest, the rows of recent revisions. A new revision shares most of its rows with the last one. */
  private readonly rows = new LRUCache<string, BoardModel>({
    maxSize: CACHED_CELLS,
    sizeCalculation: ({ cells }) => 1 + Object.keys(cells).length,
  });
  private readonly rankings = new LRUCache<string, RankedRevision, Ranked>({
    ...PATIENT,
    max: CACHED_RANKINGS,
    fetchMethod: (_key, _stale, { context }) => this.rank(context),
  });
  /** Responses with boards and matrices. */
  private readonly bodies = new LRUCache<string, ResponseBody, () => Promise<ResponseBody>>({
    ...PATIENT,
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
    fetchMethod: (_key, _stale, { context: compute }) => compute(),
  });
  /** The newest revision that was read, by task. */
  private readonly newestRead = new LRUCache<string, Pick<CachedRevision, 'id' | 'number'>>({ max: 2000 });
  private atWork: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly em: EntityManager,
    @Optional() private readonly resamples?: BoardResamples,
    @Optional() notifications?: Notifications,
  ) {
    this.lookup = new RevisionLookup(em, notifications);
  }

  /**
   * Returns the board of a task as `reader` sees it, now or at an earlier time.
   * @throws DomainError as `leaderboardView` and `revision`
   */
  async board(
    task: Pick<Task, 'slug'>,
    query: LeaderboardQuery,
    reader: Principal | null = null,
  ): Promise<LeaderboardView> {
    const { asOf, ...request } = query;
    return this.present({ key: await this.keyFor(task, asOf, reader), request });
  }

  /**
   * Returns the same as `board`, as bytes, which are cached.
   * @param charge called before a response is computed; the request ends with its error
   */
  async body(
    task: Pick<Task, 'slug'>,
    query: LeaderboardQuery,
    reader: Principal | null = null,
    charge: () => Promise<void> = () => Promise.resolve(),
  ): Promise<ResponseBody> {
    const { asOf, ...request } = query;
    const revision = await this.keyFor(task, asOf, reader);
    const key = `${keyText(revision)} ${keyOf(request)}`;
    if (!this.bodies.has(key)) await charge();
    return (await this.bodies.fetch(key, {
      context: async () => jsonBody(await this.present({ key: revision, request })),
    }))!;
  }

  /**
   * Returns the cells of all models as columns (`encodeMatrix`), in the given encoding.
   * @throws DomainError as `revision`
   */
  async matrix(
    task: Pick<Task, 'slug'>,
    asOf: string | undefined,
    { encoding, reader }: { readonly encoding: ContentEncoding; readonly reader: Principal | null },
  ): Promise<ResponseBody & Pick<CachedRevision, 'disclosure'>> {
    const key = await this.keyFor(task, asOf, reader);
    const revision = await this.cachedRevision(key);
    const body = await this.bodies.fetch(`${keyText(key)} matrix ${encoding}`, {
      context: () => matrixBody(revision, encoding),
    });
    return { ...body!, ...(revision.disclosure && { disclosure: revision.disclosure }) };
  }

  /**
   * Returns how the official board decides on two models. Null if there is no board yet, if it does
   * not rank both, if their errors are unknown, and in schema 1.
   */
  async decision(
    task: Pick<Task, 'slug'>,
    asOf: string | undefined,
    reader: Principal | null,
    [a, b]: readonly [string, string],
  ): Promise<BoardDecision | null> {
    const id =
      asOf === undefined ? await this.newest(task) : await this.lookup.asOf(task.slug, asOf).catch(orNoRevision);
    if (id === null) return null;
    const key = { id, isExact: reader !== null && (await this.mayReadExact(task, id, reader)) };
    return boardDecision(await this.ranked(key, { amrs: 'official' }), a, b);
  }

  /**
   * Returns a revision as `reader` sees it. `v3` is the last revision of benchmark version 3, `r17` is revision 17, and
   * a time selects the revision that was the newest then.
   * @throws DomainError `no_board_yet`, `no_such_revision`, `before_first_revision`,
   * `invalid_as_of`
   */
  async revision(task: Pick<Task, 'slug'>, asOf?: string, reader: Principal | null = null): Promise<CachedRevision> {
    return this.cachedRevision(await this.keyFor(task, asOf, reader));
  }

  /**
   * Returns the ID of the newest revision of the task; null if the task has none or does not exist.
   */
  newest({ slug }: Pick<Task, 'slug'>): Promise<string | null> {
    return this.lookup.latest(slug);
  }

  /** Returns whether the current board of the task ranks any model, or places one below the baseline. */
  async hasRankedModels(task: Pick<Task, 'slug'>): Promise<boolean> {
    const id = await this.newest(task);
    if (id === null) return false;
    const { ranking, below } = officialBoard((await this.cachedRevision({ id, isExact: false })).content);
    return ranking.order.length + (below?.order.length ?? 0) > 0;
  }

  private async revisionId({ slug }: Pick<Task, 'slug'>, asOf: string | undefined): Promise<string> {
    if (asOf !== undefined) return this.lookup.asOf(slug, asOf);
    const id = await this.newest({ slug });
    if (id === null) throw await this.lookup.nothing(slug);
    return id;
  }

  private async keyFor(
    task: Pick<Task, 'slug'>,
    asOf: string | undefined,
    reader: Principal | null,
  ): Promise<RevisionKey> {
    const id = await this.revisionId(task, asOf);
    return { id, isExact: reader !== null && (await this.mayReadExact(task, id, reader)) };
  }

  /** Returns whether the revision has rounded scores, and `reader` owns the task. */
  private async mayReadExact({ slug }: Pick<Task, 'slug'>, id: string, reader: Principal): Promise<boolean> {
    const { exact } = (await this.revisions.fetch(id))!;
    return exact !== null && ownsTask(reader, await this.em.fork().findOneOrFail(Task, { slug }));
  }

  private async cachedRevision({ id, isExact }: RevisionKey): Promise<CachedRevision> {
    const { disclosed, exact } = (await this.revisions.fetch(id))!;
    return isExact ? exact! : disclosed;
  }

  private async read(id: string): Promise<StoredRevision> {
    const em = this.em.fork();
    const found = await em.findOneOrFail(BoardRevision, id);
    const revision = await new BoardRevisionRepository(em).whole(found, this.rows);
    const { number, benchmarkVersion, publishedAt, content, exactModels } = revision;
    this.supersede(content.task, { id, number });
    const as = (shown: BoardContent): CachedRevision => ({
      ...{ id, number, benchmarkVersion, publishedAt },
      content: withoutFailedUploads(shown),
      // those of the exact scores are not stored
      officialRanks: shown === content ? revision.officialRanks : null,
    });
    if (!exactModels) return { disclosed: as(content), exact: null };
    return {
      disclosed: { ...as(content), disclosure: 'rounded' },
      exact: { ...as({ ...content, models: exactModels }), disclosure: 'exact' },
    };
  }

  /**
   * Drops the cached results of a revision once a newer one is read, as they are hardly requested
   * any more.
   */
  private supersede(task: string, { id, number }: Pick<CachedRevision, 'id' | 'number'>): void {
    const before = this.newestRead.get(task);
    if (before && before.number >= number) return;
    this.newestRead.set(task, { id, number });
    if (before) for (const cache of [this.bodies, this.rankings]) forgetOf(cache, before.id);
  }

  private async present({ key, request }: Asked): Promise<LeaderboardView> {
    const ranked = await this.ranked(key, request);
    return presentBoard(
      ranked,
      request,
      request.explain ? await this.ratesOrigin(await this.cachedRevision(key)) : null,
    );
  }

  private async ranked(key: RevisionKey, request: Asked['request']): Promise<RankedRevision> {
    const weighing = weighingOf(request);
    const intervals = request.intervals ?? true;
    const context = { revision: await this.cachedRevision(key), weighing, intervals };
    return intervals
      ? (await this.rankings.fetch(`${keyText(key)} ${keyOf(weighing)}`, { context }))!
      : this.rank(context);
  }

  private async rank({ revision, weighing, intervals }: Ranked): Promise<RankedRevision> {
    const weighed = isOfficial(weighing) ? officialBoard(revision.content) : weigh(revision.content, weighing);
    if (!intervals) return rankRevision(revision, weighing, weighed, null);
    if (revision.officialRanks && isOfficial(weighing)) {
      return rankRevision(revision, weighing, weighed, { family: familyOf(revision.officialRanks) });
    }
    return this.oneByOne(async () => {
      const resamples = await this.resamples?.load(neededResamples(weighed));
      return rankRevision(
        revision,
        weighing,
        weighed,
        await rankCertaintyInTurns(weighed, seedOf(revision), resamples),
      );
    });
  }

  /** Runs one computation at a time: the resamples of one board can take hundreds of MiB. */
  private oneByOne<T>(work: () => Promise<T>): Promise<T> {
    const done = this.atWork.then(work);
    this.atWork = done.catch(() => undefined);
    return done;
  }

  private async ratesOrigin(revision: CachedRevision): Promise<RatesOrigin | null> {
    const { amrsRevision, task } = revision.content;
    if (amrsRevision === undefined) return null;
    return amrsRevision === revision.number ? revision : this.revision({ slug: task }, `r${amrsRevision}`);
  }
}

/** Identifies a revision as some reader sees it. */
interface RevisionKey {
  readonly id: string;
  /** True for the owner of the task, if the revision has rounded scores. */
  readonly isExact: boolean;
}

const keyText = ({ id, isExact }: RevisionKey): string => (isExact ? `${id} exact` : id);

interface Asked {
  readonly key: RevisionKey;
  readonly request: Omit<LeaderboardQuery, 'asOf'>;
}

interface Ranked {
  readonly revision: CachedRevision;
  readonly weighing: ReturnType<typeof weighingOf>;
  readonly intervals: boolean;
}

function orNoRevision(error: unknown): null {
  if (error instanceof DomainError && ['no_such_revision', 'no_board_yet'].includes(error.code)) return null;
  throw error;
}

/** Drops the entries of a revision from a cache. */
function forgetOf(cache: Pick<LRUCache<string, object>, 'keys' | 'delete'>, id: string): void {
  for (const key of [...cache.keys()]) if (key.startsWith(`${id} `)) cache.delete(key);
}

/** Returns a canonical text, so that equal requests share one cache key. */
export function keyOf(request: object): string {
  return JSON.stringify(request, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
