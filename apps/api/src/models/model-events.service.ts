import { isFinal, type ModelEvent } from '@assay/contracts';
import { MODEL_CHANNEL, type ModelEventMessage } from '@assay/evaluation';
import { Notifications } from '@assay/persistence';
import { Model } from '@assay/submissions';
import { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  concatMap,
  defer,
  exhaustMap,
  filter,
  interval,
  map,
  merge,
  type Observable,
  Subject,
  takeUntil,
  takeWhile,
  tap,
} from 'rxjs';
import { Environment } from '../environment.js';

/** Pings in the time after which a connection is given up. */
const PINGS = 4;

/** What happens to models, as it happens. */
@Injectable()
export class ModelEvents implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly notices = new Subject<Notice>();
  private readonly closing = new Subject<void>();
  /** Milliseconds. */
  private readonly ping: number;

  constructor(
    private readonly notifications: Notifications,
    private readonly orm: MikroORM,
    environment: Environment,
  ) {
    this.ping = environment.stalledMilliseconds / PINGS;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.notifications.subscribe(
      MODEL_CHANNEL,
      (payload) => this.notices.next(new Notice(JSON.parse(payload) as ModelEventMessage)),
      () => this.notices.next(new Notice('missed')),
    );
  }

  onApplicationShutdown(): void {
    this.closing.next();
  }

  /**
   * How things stand, then every change until a final state. Where notices were missed, it is told again how things stand.
   * @param mayGoOn asked before each ping and before a failure is told; it ends where the answer is no
   */
  of(
    { id, task, specification }: Model,
    mayGoOn: () => Promise<boolean> = () => Promise.resolve(true),
  ): Observable<ModelEvent | { readonly type: 'ping' }> {
    const followed: Followed = { id, task: task.id, specification: specification?.id ?? null };
    const live = this.notices.pipe(
      filter(({ message }) => mayConcern(message, followed)),
      concatMap((notice) => this.heard(notice, followed)),
      filter((event) => event !== null),
    );
    // subscribed to the changes before it is read how things stand, so that nothing falls between
    const events = merge(
      live,
      defer(async () => noted(await this.standing(id), followed)),
    );
    const over = new Subject<void>();
    const pings = interval(this.ping).pipe(
      exhaustMap(mayGoOn),
      tap((mayStill) => !mayStill && over.next()),
      filter((mayStill) => mayStill),
      map(() => ({ type: 'ping' as const })),
    );
    // a model that fails before its first score becomes private
    const permitted = events.pipe(
      concatMap(async (event) => {
        if (event.type !== 'state' || event.state !== 'failed' || (await mayGoOn())) return event;
        over.next();
        return null;
      }),
      filter((event) => event !== null),
    );
    return merge(permitted, pings).pipe(
      takeWhile((event) => event.type !== 'state' || !isFinal(event.state), true),
      takeUntil(merge(this.closing, over)),
    );
  }

  /** A state is read from the truth, not from the notice: once for all who follow the model. */
  private async heard(notice: Notice, followed: Followed): Promise<ModelEvent | null> {
    const { message } = notice;
    if (message !== 'missed') {
      const { model, specification, event } = message;
      const isKnown = model !== undefined || specification === followed.specification;
      // its artifact may have arrived since it was last looked at
      const mayBeNew = followed.specification === null && event.type === 'state';
      if (!isKnown && !mayBeNew) return null;
      if (event.type !== 'state') return event;
    }
    const event = noted(await notice.standing(followed.id, (id) => this.standing(id)), followed);
    const isOfAnother =
      message !== 'missed' && message.model === undefined && message.specification !== followed.specification;
    return isOfAnother ? null : event;
  }

  private async standing(id: string): Promise<Standing> {
    const em: EntityManager = this.orm.em.fork();
    const { state, failure, specification } = await em.findOneOrFail(Model, id);
    return { event: { type: 'state', state, ...(failure && { failure }) }, specification: specification?.id ?? null };
  }
}

/** Of a model: its specification is null until its artifact has arrived. */
interface Followed {
  readonly id: string;
  readonly task: string;
  specification: string | null;
}

interface Standing {
  readonly event: ModelEvent;
  readonly specification: string | null;
}

/** What was told, to all who follow what it concerns. */
class Notice {
  private readonly standings = new Map<string, Promise<Standing>>();

  constructor(readonly message: ModelEventMessage | 'missed') {}

  /** How a model stands, read since this was told. */
  standing(model: string, read: (model: string) => Promise<Standing>): Promise<Standing> {
    const standing = this.standings.get(model) ?? read(model);
    this.standings.set(model, standing);
    return standing;
  }
}

function mayConcern(message: Notice['message'], { id, task }: Followed): boolean {
  if (message === 'missed') return true;
  return message.model === undefined ? message.task === task : message.model === id;
}

function noted({ event, specification }: Standing, followed: Followed): ModelEvent {
  followed.specification ??= specification;
  return event;
}
