import type { OverviewView } from '@assay/contracts/annotating';
import type { Principal } from '@assay/identity';
import { firstPage } from '@assay/kernel';
import { BoardSummaryRepository } from '@assay/leaderboard/summaries';
import { ownsTask } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { OverviewRepository, type OverviewRow } from './overview.repository.js';

/** The requested page of the overview. */
interface OverviewPage {
  readonly limit: number;
  /** The ID of the last task on the page before. */
  readonly cursor?: string | undefined;
}

/**
 * Gives an overview of all tasks, as in table 1 of the Dynabench paper, with the leading models.
 */
@Injectable()
export class OverviewService {
  /** The pages that are being read, by query. Equal requests share one. */
  private readonly underWay = new Map<string, Promise<readonly OverviewRow[]>>();

  constructor(private readonly em: EntityManager) {}

  /** Returns a page of the overview with the scores that `reader` may see. */
  async overview(reader: Principal | null, { limit, cursor }: OverviewPage): Promise<OverviewView> {
    const rows = await this.rows(limit + 1, cursor ?? null);
    const { items, ...next } = firstPage(rows, { limit }, ({ id }) => id);
    return { items: items.map((row) => itemOf(row, reader)), ...next };
  }

  private rows(most: number, after: string | null): Promise<readonly OverviewRow[]> {
    const key = `${most} ${after}`;
    const known = this.underWay.get(key);
    if (known) return known;
    const reading = this.read(most, after).finally(() => this.underWay.delete(key));
    this.underWay.set(key, reading);
    return reading;
  }

  /**
   * Reads the rows, and summarises the boards without a summary: those that were published before
   * summaries existed.
   */
  private async read(most: number, after: string | null): Promise<readonly OverviewRow[]> {
    const rows = await new OverviewRepository(this.em.fork()).tasks({ most, after });
    const summarised: OverviewRow[] = [];
    for (const row of rows) {
      if (row.revision === null || row.isSummarised) summarised.push(row);
      else summarised.push({ ...row, ...(await new BoardSummaryRepository(this.em.fork()).fill(row.revision)) });
    }
    return summarised;
  }
}

function itemOf(row: OverviewRow, reader: Principal | null): OverviewView['items'][number] {
  const isExact = row.exact !== null && ownsTask(reader, { owner: { id: row.owner } });
  const { models, leaders, saturation } = (isExact ? row.exact : row.disclosed) ?? NO_BOARD;
  return {
    task: row.slug,
    name: row.name,
    ...(row.description && { description: row.description }),
    rounds: row.rounds,
    openRound: row.openRound,
    examples: row.examples,
    vmer: errorRateOf(row),
    ...{ models, leaders, saturation },
  };
}

/** Returns the rate without its interval, which would need all annotations. */
function errorRateOf({ faced, validatedFooling, pending }: OverviewRow): OverviewView['items'][number]['vmer'] {
  const value = faced === 0 ? null : validatedFooling / faced;
  return { numerator: validatedFooling, denominator: faced, value, low: null, high: null, pending };
}

const NO_BOARD = { models: 0, leaders: [], saturation: null };
