import type { ValidatorList, ValidatorView } from '@assay/contracts/collection';
import { DomainError, firstPage } from '@assay/kernel';
import { inTransaction } from '@assay/persistence/queries';
import type { Round } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { agreesWith } from './agreement.js';
import { ValidationRepository, type ValidatorRow } from './validation.repository.js';

/** The number of validations that are compared in one transaction. */
const COMPARED = 5_000;
const CACHED_MEDIANS = 20_000;

/** A median that was computed for a version of the counters. */
interface CachedMedian {
  readonly version: string;
  readonly seconds: number | null;
}

/** Returns the statistics of validators. */
@Injectable()
export class ValidatorFigures {
  private readonly medians = new LRUCache<string, CachedMedian>({ max: CACHED_MEDIANS });

  constructor(private readonly em: EntityManager) {}

  /**
   * Returns for each validator of a round the agreement with the decisions and the accuracy on gold
   * checks. The most active validators come first.
   * @param round with its task loaded
   * @param page its cursor is the pseudonym of the last validator of the page before
   * @throws DomainError `unknown_cursor`
   */
  async list(
    round: Round,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<ValidatorList> {
    const repository = new ValidationRepository(this.em.fork());
    if (cursor !== undefined && !(await repository.hasValidator(round.id, cursor))) {
      throw new DomainError('invalid', 'unknown_cursor', 'Invalid cursor. Repeat the request without `cursor`.');
    }
    if (await repository.hasUncompared(round.id)) await this.compare(round);
    const rows = await repository.validators(round.id, { most: limit + 1, after: cursor ?? null });
    const { items, ...next } = firstPage(rows, { limit }, ({ pseudonym }) => pseudonym);
    const medians = await this.mediansOf(repository, round.id, items);
    return { items: items.map((row) => viewOf(row, medians.get(row.pseudonym) ?? null)), ...next };
  }

  /** Stores the agreement of the validations that were decided before it was stored. */
  private async compare(round: Round): Promise<void> {
    for (;;) {
      const compared = await inTransaction(this.em, async (em) => {
        const repository = new ValidationRepository(em);
        const rows = await repository.uncompared(round.id, COMPARED);
        await repository.setAgreement(
          rows.map(({ id, rightNow, ...row }) => ({
            id,
            agrees: agreesWith(round.task.definition, { ...row, label: rightNow }, row),
          })),
        );
        return rows.length;
      });
      if (compared < COMPARED) return;
    }
  }

  /** Returns the median times by pseudonym. Computes those of the validators whose counters changed. */
  private async mediansOf(
    repository: ValidationRepository,
    round: string,
    rows: readonly ValidatorRow[],
  ): Promise<ReadonlyMap<string, number | null>> {
    const keyOf = ({ pseudonym }: ValidatorRow): string => `${round} ${pseudonym}`;
    const known = rows.map((row) => ({ row, cached: this.medians.get(keyOf(row)) }));
    const stale = known.flatMap(({ row, cached }) => (cached?.version === row.version ? [] : [row]));
    const medians = new Map(known.map(({ row, cached }) => [row.pseudonym, cached?.seconds ?? null]));
    if (stale.length === 0) return medians;
    const found = await repository.medianSeconds(
      round,
      stale.map(({ pseudonym }) => pseudonym),
    );
    for (const row of stale) {
      const seconds = found.get(row.pseudonym) ?? null;
      this.medians.set(keyOf(row), { version: row.version, seconds });
      medians.set(row.pseudonym, seconds);
    }
    return medians;
  }
}

const viewOf = (row: ValidatorRow, medianSeconds: number | null): ValidatorView => ({
  pseudonym: row.pseudonym,
  handedOut: row.handedOut,
  answered: row.answered,
  decided: row.decided,
  agreement: share(row.agreeing, row.decided),
  checks: row.checks,
  checkRate: share(row.rightChecks, row.checks),
  nonFooling: share(row.nonFooling, row.examples),
  medianSeconds,
});

const share = (part: number, of: number): number | null => (of === 0 ? null : part / of);
