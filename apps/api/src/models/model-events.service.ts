import { isFinal, type ModelEvent } from '@assay/contracts/models';
import { MODEL_CHANNEL, type ModelEventMessage } from '@assay/evaluation';
import { Notifications } from '@assay/persistence/outbox';
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

/** The number of pings within the stall timeout of a connection. */
const PINGS = 4;

/** Streams the events of models. */
@Injectable()
export class ModelEvents implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly notices = new Subject<Notice>();
  private readonly closing = new Subject<void>();
  /** The interval between pings in milliseconds. */
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
   * Emits the state of a model, then every change until a final state. Emits the state again if
   * notifications were missed.
   * @param follower `mayGoOn` is called before each ping and before a failure is emitted; the stream
   *   ends if it returns false. `seesExact`: the follower owns the task; others receive rounded scores
   *   if the task asks for that
   */
  of(
    { id, task, specification }: Model,
    { mayGoOn, seesExact }: Follower = { mayGoOn: () => Promise.resolve(true), seesExact: false },
  ): Observable<ModelEvent | { readonly type: 'ping' }> {
    const followed: Followed = { id, task: task.id, specification: specification?.id ?? null, seesExact };
    const live = this.notices.pipe(
      filter(({ message }) => mayConcern(message, followed)),
      concatMap((notice) => this.heard(notice, followed)),
      filter((event) => event !== null),
    );
    // subscribes to the changes before it reads the state, so that no change is missed
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

  /**
   * Returns the event to emit for a notice, or null. A state is read from the database and not from
   * the notice, once for all followers of the model.
   */
  private async heard(notice: Notice, followed: Followed): Promise<ModelEvent | null> {
    const { message } = notice;
    if (message !== 'missed') {
      const { model, specification, disclosed } = message;
      const event = followed.seesExact ? message.event : (disclosed ?? message.event);
      const isKnown = model !== undefined || specification === followed.specification;
      // its artifact may have arrived since the last read
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

/** A user or visitor who follows a model. */
interface Follower {
  readonly mayGoOn: () => Promise<boolean>;
  readonly seesExact: boolean;
}

/** A model that is followed. Its specification is null until its artifact has arrived. */
interface Followed extends Pick<Follower, 'seesExact'> {
  readonly id: string;
  readonly task: string;
  specification: string | null;
}

interface Standing {
  readonly event: ModelEvent;
  readonly specification: string | null;
}

/** A notification, shared by all streams that it concerns. */
class Notice {
  private readonly standings = new Map<string, Promise<Standing>>();

  constructor(readonly message: ModelEventMessage | 'missed') {}

  /** Returns the state of a model, read after the notification. */
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
