import { isFinal, type ModelEvent } from '@assay/contracts';
import { MODEL_CHANNEL, type ModelEventMessage } from '@assay/evaluation';
import { Notifications } from '@assay/persistence';
import { Model } from '@assay/submissions';
import { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { concatMap, defer, filter, interval, map, merge, type Observable, Subject, takeUntil, takeWhile } from 'rxjs';

const PING = 15_000;

/** What happens to models, as it happens. */
@Injectable()
export class ModelEvents implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly notices = new Subject<ModelEventMessage | 'missed'>();
  private readonly closing = new Subject<void>();

  constructor(
    private readonly notifications: Notifications,
    private readonly orm: MikroORM,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.notifications.subscribe(
      MODEL_CHANNEL,
      (payload) => this.notices.next(JSON.parse(payload) as ModelEventMessage),
      () => this.notices.next('missed'),
    );
  }

  onApplicationShutdown(): void {
    this.closing.next();
  }

  /** How things stand, then every change until a final state. Where notices were missed, it is told again how things stand. */
  of(model: Model): Observable<ModelEvent | { readonly type: 'ping' }> {
    const live = this.notices.pipe(
      filter((notice) => notice === 'missed' || concerns(notice, model)),
      // a state is read from the truth, not from the notice
      concatMap(async (notice) =>
        notice === 'missed' || notice.event.type === 'state' ? this.state(model.id) : notice.event,
      ),
    );
    // subscribed to the changes before it is read how things stand, so that nothing falls between
    const events = merge(
      live,
      defer(() => this.state(model.id)),
    );
    const pings = interval(PING).pipe(map(() => ({ type: 'ping' as const })));
    return merge(events, pings).pipe(
      takeWhile((event) => event.type !== 'state' || !isFinal(event.state), true),
      takeUntil(this.closing),
    );
  }

  private async state(id: string): Promise<ModelEvent> {
    const em: EntityManager = this.orm.em.fork();
    const model = await em.findOneOrFail(Model, id);
    return { type: 'state', state: model.state, ...(model.failure && { failure: model.failure }) };
  }
}

function concerns(notice: ModelEventMessage, model: Model): boolean {
  if (notice.model !== undefined) return notice.model === model.id;
  return notice.task === model.task.id && notice.specification === model.specification?.id;
}
