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

/** A board revision in memory, without the ORM. */
export interface KeptRevision extends PublishedBoard {
  readonly id: string;
}

/** Cells (models × datasets) of the revisions in memory, and how many these are at most: a busy task has a new one each few seconds. */
const KEPT_CELLS = 200_000;
const KEPT_REVISIONS = 16;
/**
 * Weighings in memory: with intervals of ranks, which take many times as long to make, and without. Each has its own room, so that who moves
 * a slider makes nobody wait for a board that many ask for. Those without are few: one is made in a millisecond or two and seldom asked for again, and
 * what outlives a collection of the young space costs the next one of all the memory that boards take.
 */
const KEPT_RANKINGS = { sure: 200, bare: 8 } as const;
/** Bytes of matrices in memory, and of answers with and without intervals. */
const KEPT_BODIES = { matrix: 64 * 2 ** 20, sure: 64 * 2 ** 20, bare: 2 * 2 ** 20 } as const;
type Kept = keyof typeof KEPT_RANKINGS;
/** What has to make room while it is being made is made all the same: somebody waits for it. */
const PATIENT = { ignoreFetchAbort: true };

@Injectable()
export class LeaderboardService {
  private readonly lookup: RevisionLookup;
  private readonly revisions = new LRUCache<string, KeptRevision>({
    ...PATIENT,
    max: KEPT_REVISIONS,
    maxSize: KEPT_CELLS,
    sizeCalculation: ({ content }) => Math.min(KEPT_CELLS, (content.models.length + 1) * (content.datasets.length + 1)),
    fetchMethod: (id) => this.read(id),
    // rankings hold on to the content: they go with it
    dispose: (_revision, id) => Object.values(this.rankings).forEach((kept) => forgetOf(kept, id)),
  });
  private readonly rankings = { sure: this.rankingsKept('sure'), bare: this.rankingsKept('bare') };
  private readonly bodies = { sure: this.bodiesKept('sure'), bare: this.bodiesKept('bare') };
  private readonly matrices = new LRUCache<string, BoardBody, { revision: PublishedBoard; encoding: ContentEncoding }>({
    ...PATIENT,
    maxSize: KEPT_BODIES.matrix,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
    fetchMethod: (_key, _stale, { context }) => matrixBody(context.revision, context.encoding),
  });
  /** All that is made of revisions. */
  private readonly made = [this.matrices, ...Object.values(this.bodies), ...Object.values(this.rankings)];
  /** By task, of those that were read. */
  private readonly newestRead = new LRUCache<string, Pick<KeptRevision, 'id' | 'number'>>({ max: 2000 });
  private atWork: Promise<unknown> = Promise.resolve();
  private readonly addresses = new LRUCache<string, { readonly slug: string; readonly key: string }>({ max: 2000 });

  constructor(
    private readonly em: EntityManager,
    @Optional() private readonly resamples?: BoardResamples,
    @Optional() notifications?: Notifications,
  ) {
    this.lookup = new RevisionLookup(em, notifications);
  }

  /** The board of a task, now or as it was. Throws as `leaderboardView`, and as `revision`. */
  async board(task: Pick<Task, 'slug'>, query: LeaderboardQuery): Promise<LeaderboardView> {
    const { asOf, ...request } = query;
    return this.present({ id: await this.revisionId(task, asOf), request });
  }

  /** The same as bytes, which are kept. */
  async body(task: Pick<Task, 'slug'>, query: LeaderboardQuery): Promise<BoardBody> {
    const { asOf, ...request } = query;
    const id = await this.revisionId(task, asOf);
    return (await this.bodies[keptAs(request)].fetch(`${id} ${keyOf(request)}`, { context: { id, request } }))!;
  }

  /** All models' cells as columns (`encodeMatrix`), in the encoding that is asked for. Throws as `revision`. */
  async matrix(task: Pick<Task, 'slug'>, asOf: string | undefined, encoding: ContentEncoding): Promise<BoardBody> {
    const revision = await this.revision(task, asOf);
    return (await this.matrices.fetch(`${revision.id} ${encoding}`, { context: { revision, encoding } }))!;
  }

  /**
   * The answer to an address that `remember` was told of, of the revision that is the newest now: without any work where its bytes are kept.
   * Undefined: nothing is known of it.
   */
  async remembered(address: string): Promise<BoardBody | undefined> {
    const known = this.addresses.get(address);
    if (!known) return undefined;
    const id = await this.lookup.latest(known.slug);
    if (id === null) return undefined;
    const key = `${id} ${known.key}`;
    return this.bodies.sure.get(key) ?? this.bodies.bare.get(key);
  }

  /** That this address asks for the board as it is now, in this way. */
  remember(address: string, { slug }: Pick<Task, 'slug'>, query: LeaderboardQuery): void {
    const { asOf, ...request } = query;
    if (asOf === undefined) this.addresses.set(address, { slug, key: keyOf(request) });
  }

  /**
   * `v3`: the last revision of benchmark version 3; `r17`: revision 17; a time: the revision that stood then.
   * @throws DomainError `no_board_yet`, `no_such_revision`, `before_first_revision`, `invalid_as_of`
   */
  async revision(task: Pick<Task, 'slug'>, asOf?: string): Promise<KeptRevision> {
    return this.kept(await this.revisionId(task, asOf));
  }

  /** The id of the newest revision of the task; null where it has none, or is none. */
  newest({ slug }: Pick<Task, 'slug'>): Promise<string | null> {
    return this.lookup.latest(slug);
  }

  /** Whether a model of the task stands on its board now. */
  async hasRankedModels(task: Pick<Task, 'slug'>): Promise<boolean> {
    const id = await this.newest(task);
    return id !== null && weigh((await this.kept(id)).content, OFFICIAL).ranking.order.length > 0;
  }

  private async revisionId({ slug }: Pick<Task, 'slug'>, asOf: string | undefined): Promise<string> {
    if (asOf !== undefined) return this.lookup.asOf(slug, asOf);
    const id = await this.newest({ slug });
    if (id === null) throw await this.lookup.nothing(slug);
    return id;
  }

  private rankingsKept(as: Kept): LRUCache<string, RankedRevision, Ranked> {
    return new LRUCache({
      ...PATIENT,
      max: KEPT_RANKINGS[as],
      fetchMethod: (_key, _stale, { context }) => this.rank(context),
    });
  }

  private bodiesKept(as: Kept): LRUCache<string, BoardBody, Asked> {
    return new LRUCache({
      ...PATIENT,
      maxSize: KEPT_BODIES[as],
      sizeCalculation: ({ bytes }) => bytes.length + 1,
      fetchMethod: async (_key, _stale, { context }) => boardBody(await this.present(context)),
    });
  }

  private async kept(id: string): Promise<KeptRevision> {
    return (await this.revisions.fetch(id))!;
  }

  private async read(id: string): Promise<KeptRevision> {
    const { number, benchmarkVersion, publishedAt, content } = await this.em.fork().findOneOrFail(BoardRevision, id);
    this.supersede(content.task, { id, number });
    return { id, number, benchmarkVersion, publishedAt, content: withoutFailedUploads(content) };
  }

  /** Nobody asks for what was made of a revision that another one has followed, but who looks back: it makes room. */
  private supersede(task: string, { id, number }: Pick<KeptRevision, 'id' | 'number'>): void {
    const before = this.newestRead.get(task);
    if (before && before.number >= number) return;
    this.newestRead.set(task, { id, number });
    if (before) this.made.forEach((kept) => forgetOf(kept, before.id));
  }

  private async present({ id, request }: Asked): Promise<LeaderboardView> {
    const revision = await this.kept(id);
    const weighing = weighingOf(request);
    const intervals = request.intervals ?? true;
    const key = `${id} ${keyOf({ ...weighing, intervals })}`;
    const ranked = (await this.rankings[keptAs(request)].fetch(key, { context: { revision, weighing, intervals } }))!;
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

  /** The resamples of one board may be hundreds of MiB: nobody holds them while others do. */
  private oneByOne<T>(work: () => Promise<T>): Promise<T> {
    const done = this.atWork.then(work);
    this.atWork = done.catch(() => undefined);
    return done;
  }

  private async ratesOrigin(revision: KeptRevision): Promise<RatesOrigin | null> {
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
  readonly revision: KeptRevision;
  readonly weighing: ReturnType<typeof weighingOf>;
  readonly intervals: boolean;
}

const keptAs = ({ intervals }: Asked['request']): Kept => (intervals === false ? 'bare' : 'sure');

/** Drops what is kept of a revision. */
function forgetOf(kept: Pick<LRUCache<string, object>, 'keys' | 'delete'>, id: string): void {
  for (const key of [...kept.keys()]) if (key.startsWith(`${id} `)) kept.delete(key);
}

/** One text for all ways to ask the same. */
export function keyOf(request: object): string {
  return JSON.stringify(request, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
