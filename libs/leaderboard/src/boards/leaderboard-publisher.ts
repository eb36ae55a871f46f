import { createHash } from 'node:crypto';
import { scoresAlike } from '@assay/evaluation/runs';
import { notifyChannel, Outbox } from '@assay/persistence/outbox';
import { inTransaction } from '@assay/persistence/queries';
import { Task } from '@assay/tasks';
import {
  type BenchmarkVersion,
  BenchmarksService,
  changedVersions,
  StaleBoardRepository,
} from '@assay/tasks/benchmarks';
import { EarlierGoldCounts } from '@assay/tasks/datasets';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type BoardContent, type BoardModel, withoutFailedUploads } from './board-content.js';
import { BoardMistakes } from './board-mistakes.js';
import { BoardResamples } from './board-resamples.js';
import { collectBoard, definitionAt } from './board-content.service.js';
import { disclosedContent } from './disclosed-content.js';
import { CollectedModels } from './board-models.js';
import { BOARD_CHANNEL, BoardRevision, RELEASE_DEADLINE, type StoredContent } from './board-revision.js';
import { BoardRevisionRepository } from './board-revision.repository.js';
import { packedDigests, rowDigest, unpackedDigests } from './board-row.js';
import { BoardRowRepository } from './board-row.repository.js';
import { contenders } from '../promotions/contenders.js';
import { withDiverse } from '../promotions/diverse-set.js';
import { Promotion } from '../promotions/promotion.js';
import { isLoopHeld, excludedModels, promote } from '../promotions/promotions.service.js';
import { type PublishedBoard, seedOf } from './leaderboard-view.js';
import { withPossibleCopies } from './possible-copies.js';
import { neededResamples, rankCertaintyInTurns } from './rank-certainty.js';
import { type StoredRanks, storedRanks } from './stored-ranks.js';
import { BoardSummaryRepository } from '../summaries/board-summary.repository.js';
import { amrsToKeep, officialBoard } from './weighed-board.js';

interface CollectedBoard {
  readonly benchmark: BenchmarkVersion;
  /** With exact scores. */
  readonly content: BoardContent;
}

const isDue = (benchmark: BenchmarkVersion): boolean => benchmark.createdAt.getTime() + RELEASE_DEADLINE < Date.now();

/** Returns whether predictions get other scores on the current benchmark version than on the previous one. */
function isRescored(task: Task, previous: BenchmarkVersion, current: BenchmarkVersion): boolean {
  const versions = { before: previous.metricVersions, after: current.metricVersions };
  return (
    !scoresAlike(definitionAt(task, previous), definitionAt(task, current)) ||
    changedVersions(previous.definition, versions).length > 0
  );
}

/**
 * Returns the content with its exchange rates and the revision that determined them. They are
 * stored from the first revision that has enough ranked models.
 */
function withStoredRates(content: BoardContent, number: number, latest: BoardRevision | null): BoardContent {
  if (content.amrs) {
    const amrsRevision = latest?.content.amrsRevision;
    return amrsRevision === undefined ? content : { ...content, amrsRevision };
  }
  const amrs = amrsToKeep(content);
  return amrs ? { ...content, amrs, amrsRevision: number } : content;
}

/**
 * The maximum size of the cached models, in cells (models × datasets). A publication reads all models that
 * are not cached.
 */
const CACHED_CELLS = 200_000;

/** @returns in hexadecimal */
const digestOf = (
  benchmark: number,
  head: StoredContent,
  { modelRows, exactModelRows }: { readonly modelRows: Uint8Array; readonly exactModelRows: Uint8Array | null },
): string =>
  createHash('sha256')
    .update(JSON.stringify([benchmark, head]))
    .update(modelRows)
    .update(exactModelRows ?? '')
    .digest('hex');

/** Stores the rows that the latest revision does not have. */
async function storeRows(em: EntityManager, latest: BoardRevision | null, rows: readonly BoardModel[]): Promise<void> {
  const packed = [latest?.modelRows, latest?.exactModelRows].flatMap((each) => each ?? []);
  const stored = new Set(packed.flatMap(unpackedDigests));
  await new BoardRowRepository(em).store(rows.filter((row) => !stored.has(rowDigest(row))));
}

@Injectable()
export class LeaderboardPublisher {
  /** The models of recent publications, by the ID of the benchmark version. */
  private readonly collected = new LRUCache<string, CollectedModels>({ maxSize: CACHED_CELLS });

  constructor(
    private readonly benchmarks: BenchmarksService,
    /** If absent, rank intervals are drawn for each model independently, and nobody looks for possible copies. */
    @Optional() private readonly resamples?: BoardResamples,
    /** If absent, a diverse loop falls back to the best models. */
    @Optional() private readonly mistakes?: BoardMistakes,
    /** If absent, datasets of several labels from before their gold was counted have no reference rows. */
    @Optional() private readonly goldCounts?: EarlierGoldCounts,
  ) {}

  /**
   * Publishes a new revision of the board of a task if anything on it has changed. Then promotes
   * according to the task's policy, unless a round holds the loop. A lock on the task allows one
   * publication at a time. Idempotent.
   *
   * Promotions and exchange rates follow from the scores as everybody sees them.
   * @returns the number of the new revision, or null if nothing has changed
   */
  async publish(em: EntityManager, taskId: string): Promise<number | null> {
    return inTransaction(em, async (tx) => {
      const task = await tx.findOneOrFail(Task, taskId, { lockMode: LockMode.PESSIMISTIC_WRITE });
      await new StaleBoardRepository(tx).clear(taskId);
      // models may have scores of other versions already
      await this.benchmarks.metricsChanged(tx, task);
      const latest = await tx.findOne(BoardRevision, { task }, { orderBy: { number: 'desc' } });
      const board = await this.collect(tx, task, latest);
      if (!board) return null;

      const { benchmark } = board;
      const number = (latest?.number ?? 0) + 1;
      const exact = this.resamples ? await withPossibleCopies(board.content, this.resamples) : board.content;
      const disclosed = disclosedContent(exact);
      const exactModels = disclosed === exact ? null : exact.models;
      const rated = withStoredRates(disclosed, number, latest?.benchmarkVersion === benchmark.number ? latest : null);
      const content = this.mistakes
        ? await withDiverse(tx, this.mistakes, task, benchmark, rated, await excludedModels(tx, task))
        : rated;
      benchmark.amrs = content.amrs;

      const { models, ...head } = content;
      const rows = { modelRows: packedDigests(models), exactModelRows: exactModels && packedDigests(exactModels) };
      const digest = digestOf(benchmark.number, head, rows);
      if (latest?.digest === digest) return null;

      await storeRows(tx, latest, [...models, ...(exactModels ?? [])]);
      const publishedAt = new Date();
      const published = { number, benchmarkVersion: benchmark.number, publishedAt, content };
      const officialRanks = await this.officialRanks(published);
      tx.create(BoardRevision, {
        ...{ task, number, benchmarkVersion: benchmark.number, content: head, ...rows, digest },
        ...{ officialRanks, publishedAt },
      });
      const revision = { ...published, exactModels, officialRanks };
      if (!(await isLoopHeld(tx, task))) await promote(tx, task, revision);
      Outbox.add(tx, 'board.published', { taskId, revision: number });
      await tx.flush();
      await new BoardSummaryRepository(tx).store(task.id, revision);
      await notifyChannel(tx, BOARD_CHANNEL, task.slug);
      return number;
    });
  }

  /**
   * Returns the rank intervals under the task's own weights, so that the first reader does not wait for them.
   * Null without the resamples, which readers may have.
   */
  private async officialRanks(board: PublishedBoard): Promise<StoredRanks | null> {
    if (!this.resamples) return null;
    const weighed = officialBoard(withoutFailedUploads(board.content));
    const lookup = await this.resamples.load(neededResamples(weighed));
    const certainty = await rankCertaintyInTurns(weighed, seedOf(board), lookup);
    return 'family' in certainty ? storedRanks(certainty.family) : null;
  }

  /**
   * Collects the board of the newest benchmark version. Until its contenders are scored, or its
   * deadline has passed, collects that of the latest published version instead, so that new models
   * appear on it. Returns null if evaluations may have been scored again since then: the latest
   * revision stays, because its benchmark version no longer describes their scores.
   */
  private async collect(em: EntityManager, task: Task, latest: BoardRevision | null): Promise<CollectedBoard | null> {
    const benchmark = await this.benchmarks.current(em, task);
    if (!benchmark) return null;

    await this.goldCounts?.complete(em, task, benchmark);
    const content = await this.contentOf(em, task, benchmark);
    if (!latest || latest.benchmarkVersion === benchmark.number || isDue(benchmark)) return { benchmark, content };
    const inLoop = await em.find(Promotion, { task, until: null });
    const published = await new BoardRevisionRepository(em).whole(latest);
    const resamples = await this.resamples?.load(neededResamples(officialBoard(published.content)));
    const awaited = contenders(published, new Set(inLoop.map(({ model }) => model.id)), resamples);
    if (!content.models.some((model) => model.pending && awaited.has(model.id))) return { benchmark, content };

    const previous = await this.benchmarks.numbered(em, task, latest.benchmarkVersion);
    if (isRescored(task, previous, benchmark)) return null;
    return { benchmark: previous, content: await this.contentOf(em, task, previous) };
  }

  private async contentOf(em: EntityManager, task: Task, benchmark: BenchmarkVersion): Promise<BoardContent> {
    const models = this.collected.get(benchmark.id) ?? new CollectedModels();
    const content = await collectBoard(em, task, benchmark, models);
    this.collected.set(benchmark.id, models, {
      size: Math.min(CACHED_CELLS, (content.models.length + 1) * (content.datasets.length + 1)),
    });
    return content;
  }
}
