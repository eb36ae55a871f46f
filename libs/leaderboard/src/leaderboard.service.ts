import type { LeaderboardQuery, LeaderboardView } from '@assay/contracts';
import { Notifications } from '@assay/persistence';
import type { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type BoardBody, boardBody } from './board-body.js';
import { withoutFailedUploads } from './board-content.js';
import type { ContentEncoding } from './encoded-body.js';
import { matrixBody } from './matrix-body.js';
import { BoardResamples } from './board-resamples.js';
import { BoardRevision } from './board-revision.js';
import {
  certaintyInTurns,
  presentBoard,
  rankRevision,
  type PublishedBoard,
  type RankedRevision,
} from './leaderboard-view.js';
import { neededResamples } from './rank-certainty.js';
import type { RatesOrigin } from './rate-explanation.js';
import { RevisionLookup } from './revision-lookup.js';
import { OFFICIAL, weigh, weighingOf } from './weighed-board.js';

/** A board revision in memory, detached from the ORM. */
export interface CachedRevision extends PublishedBoard {
  readonly id: string;
}

/**
 * The limits of the revision cache: cells (models × datasets) and revisions. A busy task publishes
 * a revision every few seconds.
 */
const CACHED_CELLS = 200_000;
const CACHED_REVISIONS = 16;
/**
 * The numbers of cached rankings with rank intervals (`sure`), which take many times as long to
 * compute, and without (`bare`). The two caches are separate, so that a user who moves a slider
 * does not evict a board that many request. Few `bare` rankings are cached: computing one takes one
 * or two milliseconds, and it is seldom requested again. Objects that survive a collection of the
 * young generation make the next full collection go through all the memory that boards take.
 */
const CACHED_RANKINGS = { sure: 200, bare: 8 } as const;
/**
 * The maximum sizes in bytes of the cached matrices and of the cached responses with and without
 * rank intervals.
 */
const CACHED_BYTES = { matrix: 64 * 2 ** 20, sure: 64 * 2 ** 20, bare: 2 * 2 ** 20 } as const;
type CacheName = keyof typeof CACHED_RANKINGS;
/**
 * Completes a computation even if its entry is evicted in the meantime, because a request waits for
 * the result.
 */
const PATIENT = { ignoreFetchAbort: true };

@Injectable()
export class LeaderboardService {
  private readonly lookup: RevisionLookup;
  private readonly revisions = new LRUCache<string, CachedRevision>({
    ...PATIENT,
    max: CACHED_REVISIONS,
    maxSize: CACHED_CELLS,
    sizeCalculation: ({ content }) =>
      Math.min(CACHED_CELLS, (content.models.length + 1) * (content.datasets.length + 1)),
    fetchMethod: (id) => this.read(id),
    // rankings refer to the content, so they are dropped with it
    dispose: (_revision, id) => Object.values(this.rankings).forEach((cache) => forgetOf(cache, id)),
  });
  private readonly rankings = { sure: this.rankingCache('sure'), bare: this.rankingCache('bare') };
  private readonly bodies = { sure: this.bodyCache('sure'), bare: this.bodyCache('bare') };
  private readonly matrices = new LRUCache<string, BoardBody, { revision: PublishedBoard; encoding: ContentEncoding }>({
    ...PATIENT,
    maxSize: CACHED_BYTES.matrix,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
    fetchMethod: (_key, _stale, { context }) => matrixBody(context.revision, context.encoding),
  });
  /** All caches of values that are derived from revisions. */
  private readonly made = [this.matrices, ...Object.values(this.bodies), ...Object.values(this.rankings)];
  /** The newest revision that was read, by task. */
  private readonly newestRead = new LRUCache<string, Pick<CachedRevision, 'id' | 'number'>>({ max: 2000 });
  private atWork: Promise<unknown> = Promise.resolve();
  private readonly addresses = new LRUCache<string, { readonly slug: string; readonly key: string }>({ max: 2000 });

  constructor(
    private readonly em: EntityManager,
    @Optional() private readonly resamples?: BoardResamples,
    @Optional() notifications?: Notifications,
  ) {
    this.lookup = new RevisionLookup(em, notifications);
  }

  /**
   * Returns the board of a task, now or at an earlier time.
   * @throws DomainError as `leaderboardView` and `revision`
   */
  async board(task: Pick<Task, 'slug'>, query: LeaderboardQuery): Promise<LeaderboardView> {
    const { asOf, ...request } = query;
    return this.present({ id: await this.revisionId(task, asOf), request });
  }

  /** Returns the same as `board`, as bytes, which are cached. */
  async body(task: Pick<Task, 'slug'>, query: LeaderboardQuery): Promise<BoardBody> {
    const { asOf, ...request } = query;
    const id = await this.revisionId(task, asOf);
    return (await this.bodies[cacheOf(request)].fetch(`${id} ${keyOf(request)}`, { context: { id, request } }))!;
  }

  /**
   * Returns the cells of all models as columns (`encodeMatrix`), in the given encoding.
   * @throws DomainError as `revision`
   */
  async matrix(task: Pick<Task, 'slug'>, asOf: string | undefined, encoding: ContentEncoding): Promise<BoardBody> {
    const revision = await this.revision(task, asOf);
    return (await this.matrices.fetch(`${revision.id} ${encoding}`, { context: { revision, encoding } }))!;
  }

  /**
   * Returns the cached response for a URL that was registered with `remember`, at the task's newest
   * revision. Undefined if the URL is unknown or its response is not cached.
   */
  async remembered(address: string): Promise<BoardBody | undefined> {
    const known = this.addresses.get(address);
    if (!known) return undefined;
    const id = await this.lookup.latest(known.slug);
    if (id === null) return undefined;
    const key = `${id} ${known.key}`;
    return this.bodies.sure.get(key) ?? this.bodies.bare.get(key);
  }

  /** Registers that a URL requests the current board with this query. */
  remember(address: string, { slug }: Pick<Task, 'slug'>, query: LeaderboardQuery): void {
    const { asOf, ...request } = query;
    if (asOf === undefined) this.addresses.set(address, { slug, key: keyOf(request) });
  }

  /**
   * Returns a revision. `v3` is the last revision of benchmark version 3, `r17` is revision 17, and
   * a time selects the revision that was the newest then.
   * @throws DomainError `no_board_yet`, `no_such_revision`, `before_first_revision`,
   * `invalid_as_of`
   */
  async revision(task: Pick<Task, 'slug'>, asOf?: string): Promise<CachedRevision> {
    return this.cachedRevision(await this.revisionId(task, asOf));
  }

  /**
   * Returns the ID of the newest revision of the task; null if the task has none or does not exist.
   */
  newest({ slug }: Pick<Task, 'slug'>): Promise<string | null> {
    return this.lookup.latest(slug);
  }

  /** Returns whether the current board of the task ranks any model. */
  async hasRankedModels(task: Pick<Task, 'slug'>): Promise<boolean> {
    const id = await this.newest(task);
    return id !== null && weigh((await this.cachedRevision(id)).content, OFFICIAL).ranking.order.length > 0;
  }

  private async revisionId({ slug }: Pick<Task, 'slug'>, asOf: string | undefined): Promise<string> {
    if (asOf !== undefined) return this.lookup.asOf(slug, asOf);
    const id = await this.newest({ slug });
    if (id === null) throw await this.lookup.nothing(slug);
    return id;
  }

  private rankingCache(as: CacheName): LRUCache<string, RankedRevision, Ranked> {
    return new LRUCache({
      ...PATIENT,
      max: CACHED_RANKINGS[as],
      fetchMethod: (_key, _stale, { context }) => this.rank(context),
    });
  }

  private bodyCache(as: CacheName): LRUCache<string, BoardBody, Asked> {
    return new LRUCache({
      ...PATIENT,
      maxSize: CACHED_BYTES[as],
      sizeCalculation: ({ bytes }) => bytes.length + 1,
      fetchMethod: async (_key, _stale, { context }) => boardBody(await this.present(context)),
    });
  }

  private async cachedRevision(id: string): Promise<CachedRevision> {
    return (await this.revisions.fetch(id))!;
  }

  private async read(id: string): Promise<CachedRevision> {
    const { number, benchmarkVersion, publishedAt, content } = await this.em.fork().findOneOrFail(BoardRevision, id);
    this.supersede(content.task, { id, number });
    return { id, number, benchmarkVersion, publishedAt, content: withoutFailedUploads(content) };
  }

  /**
   * Drops the cached results of a revision once a newer one is read, as they are hardly requested
   * any more.
   */
  private supersede(task: string, { id, number }: Pick<CachedRevision, 'id' | 'number'>): void {
    const before = this.newestRead.get(task);
    if (before && before.number >= number) return;
    this.newestRead.set(task, { id, number });
    if (before) this.made.forEach((cache) => forgetOf(cache, before.id));
  }

  private async present({ id, request }: Asked): Promise<LeaderboardView> {
    const revision = await this.cachedRevision(id);
    const weighing = weighingOf(request);
    const intervals = request.intervals ?? true;
    const key = `${id} ${keyOf({ ...weighing, intervals })}`;
    const ranked = (await this.rankings[cacheOf(request)].fetch(key, { context: { revision, weighing, intervals } }))!;
    return presentBoard(ranked, request, request.explain ? await this.ratesOrigin(revision) : null);
  }

  private async rank({ revision, weighing, intervals }: Ranked): Promise<RankedRevision> {
    const weighed = weigh(revision.content, weighing);
    if (!intervals) return rankRevision(revision, weighing, weighed, null);
    return this.oneByOne(async () => {
      const resamples = await this.resamples?.load(neededResamples(weighed));
      return rankRevision(revision, weighing, weighed, await certaintyInTurns(revision, weighed, resamples));
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

interface Asked {
  readonly id: string;
  readonly request: Omit<LeaderboardQuery, 'asOf'>;
}

interface Ranked {
  readonly revision: CachedRevision;
  readonly weighing: ReturnType<typeof weighingOf>;
  readonly intervals: boolean;
}

const cacheOf = ({ intervals }: Asked['request']): CacheName => (intervals === false ? 'bare' : 'sure');

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
