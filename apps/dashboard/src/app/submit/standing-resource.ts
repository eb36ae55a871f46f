import { HttpClient, HttpErrorResponse } from '@angular/common/http';
import { inject, Injectable } from '@angular/core';
import type { Leaderboard } from '@assay/api-client/angular';
import { catchError, concatMap, map, type Observable, of, takeWhile, throwError, timer } from 'rxjs';
import { type Standing, standingOn } from './standing.js';

/**
 * The board is updated shortly after the last score. Polls it every `PAUSE` milliseconds, at most
 * `ATTEMPTS` times.
 */
const PAUSE = 700;
const ATTEMPTS = 40;

/** Returns the rank of a model that was just scored, as soon as the board lists it. */
@Injectable()
export class StandingResource {
  private readonly http = inject(HttpClient);

  of({
    id,
    task,
    owner,
  }: {
    readonly id: string;
    readonly task: string;
    readonly owner: string;
  }): Observable<Standing> {
    const address = `/api/v1/tasks/${encodeURIComponent(task)}/leaderboard`;
    const board = this.http.get<Leaderboard>(address, { params: { owner } }).pipe(
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
}
