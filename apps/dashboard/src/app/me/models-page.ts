import { HttpClient } from '@angular/common/http';
import { Component, computed, inject, signal } from '@angular/core';
import { rxResource } from '@angular/core/rxjs-interop';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import {
  type Leaderboard,
  modelsCancel,
  modelsPublish,
  modelsRerun,
  modelsWithdraw,
  ownmodelsListResource,
} from '@assay/api-client/angular';
import { catchError, forkJoin, map, of } from 'rxjs';
import {
  Action,
  ActionProblem,
  Confirm,
  cursorPages,
  Empty,
  Estimate,
  FailureReason,
  Loaded,
  Numbers,
  PageHeader,
  Pager,
  When,
} from '../ui/index.js';
import { Session } from '../session/session.js';
import { standingOn } from '../submit/standing.js';
import { metricName } from '../ui/terms/terms.js';
import { actionsOf, boardsOf, type ModelAction, type OwnModel, statusOf } from './own-model.js';

/** The models that the user submitted, with state, rank, failure and available actions. */
@Component({
  selector: 'app-models-page',
  imports: [ActionProblem, Empty, Estimate, FailureReason, Loaded, MatButton, PageHeader, Pager, RouterLink, When],
  templateUrl: './models-page.html',
  styleUrl: './models-page.scss',
})
export class ModelsPage {
  private readonly http = inject(HttpClient);
  private readonly session = inject(Session);
  private readonly confirm = inject(Confirm);
  protected readonly numbers = inject(Numbers);
  protected readonly pages = cursorPages();
  protected readonly models = ownmodelsListResource(() => ({ query: { limit: 50, ...this.pages.query() } }));
  private readonly tasks = computed(() => (this.models.hasValue() ? boardsOf(this.models.value().items) : []), {
    equal: (one, other) => one.join() === other.join(),
  });
  private readonly boards = rxResource({
    params: () => ({ tasks: this.tasks(), owner: this.session.user()?.username ?? '' }),
    stream: ({ params: { tasks, owner } }) =>
      tasks.length === 0 ? of({}) : forkJoin(Object.fromEntries(tasks.map((task) => [task, this.board(task, owner)]))),
  });
  protected readonly action = new Action();
  protected readonly acted = signal('');
  protected readonly actionsOf = actionsOf;
  protected readonly statusOf = statusOf;
  protected readonly labels = LABELS;
  protected readonly metricName = metricName;

  protected standing(model: OwnModel) {
    const boards: Readonly<Record<string, Leaderboard | null>> = this.boards.hasValue() ? this.boards.value() : {};
    const board = boards[model.task];
    const standing = board ? standingOn(board, model.id) : undefined;
    if (standing?.kind !== 'ranked') return standing;
    const [first] = board!.metrics;
    const figure = first && standing.row.metrics[first.name];
    return { ...standing, metric: first && figure ? { name: first.name, unit: first.unit, figure } : undefined };
  }

  protected async act(kind: ModelAction, model: OwnModel): Promise<void> {
    if (kind === 'upload') return;
    if (kind === 'withdraw' && !(await this.confirmWithdrawal(model))) return;
    this.acted.set(model.id);
    await this.action.run<unknown>(() => ACTS[kind]({ path: { id: model.id } }));
    this.models.reload();
    this.boards.reload();
  }

  private confirmWithdrawal(model: OwnModel): Promise<boolean> {
    return this.confirm.ask({
      title: $localize`Withdraw ${model.name}:name:?`,
      text: $localize`It leaves the board and the loop. Its scores stay, older boards keep it, and you can put it back.`,
      action: $localize`Withdraw`,
    });
  }

  private board(task: string, owner: string) {
    const address = `/api/v1/tasks/${encodeURIComponent(task)}/leaderboard`;
    return this.http.get<Leaderboard>(address, { params: { owner, limit: OWN_ROWS } }).pipe(
      map((board): Leaderboard | null => board),
      catchError(() => of(null)),
    );
  }
}

/** The maximum number of rows of a board that the API returns: all models of the user. */
const OWN_ROWS = 10_000;

const ACTS = { cancel: modelsCancel, rerun: modelsRerun, publish: modelsPublish, withdraw: modelsWithdraw } as const;

const LABELS: Readonly<Record<ModelAction, string>> = {
  upload: $localize`Send its file`,
  cancel: $localize`Cancel`,
  rerun: $localize`Run it again`,
  publish: $localize`Put it on the board`,
  withdraw: $localize`Withdraw`,
};
