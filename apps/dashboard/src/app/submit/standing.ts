import { type HttpClient, HttpErrorResponse } from '@angular/common/http';
import type { Leaderboard, LeaderboardRow, Model } from '@assay/api-client/angular';
import { catchError, concatMap, map, type Observable, of, takeWhile, throwError, timer } from 'rxjs';

/** The position of a model on a board: ranked; incomplete, with reasons; or not yet listed. */
export type Standing =
  | { readonly kind: 'ranked'; readonly row: LeaderboardRow }
  | { readonly kind: 'incomplete'; readonly reasons: readonly string[] }
  | { readonly kind: 'unknown' };

export function standingOn(board: Leaderboard, model: string): Standing {
  const row = board.rows.find((each) => each.model.id === model);
  if (row) return { kind: 'ranked', row };
  const incomplete = board.incomplete.find((each) => each.model.id === model);
  // a pending model may still be ranked
  if (!incomplete || incomplete.pending) return { kind: 'unknown' };
  return { kind: 'incomplete', reasons: incomplete.missing.map(({ dataset, why }) => `${dataset}: ${why}`) };
}

/**
 * The board is updated shortly after the last score. Polls it every `PAUSE` milliseconds, at most
 * `ATTEMPTS` times.
 */
const PAUSE = 700;
const ATTEMPTS = 40;

/** The maximum number of rows of a board that the API returns: all models of the owner. */
const OWN_ROWS = 10_000;

/** Returns the rank of a model that was just scored, as soon as the board lists it. */
export function standingWhenListed(
  http: HttpClient,
  { id, task, owner }: Pick<Model, 'id' | 'task' | 'owner'>,
): Observable<Standing> {
  const address = `/api/v1/tasks/${encodeURIComponent(task)}/leaderboard`;
  const board = http.get<Leaderboard>(address, { params: { owner, limit: OWN_ROWS } }).pipe(
    map((read) => standingOn(read, id)),
    // before its first revision there is no board
    catchError((error: unknown) =>
      error instanceof HttpErrorResponse && error.status === 404
        ? of<Standing>({ kind: 'unknown' })
        : throwError(() => error),
    ),
  );
  return timer(0, PAUSE).pipe(
    concatMap((attempt) => board.pipe(map((standing) => ({ attempt, standing })))),
    takeWhile(({ attempt, standing }) => standing.kind === 'unknown' && attempt < ATTEMPTS, true),
    map(({ standing }) => standing),
  );
}
