import { isFinal, type ModelEvent } from '@assay/contracts/models';
import { MODEL_CHANNEL, type ModelEventMessage } from '@assay/evaluation';
import { Metrics } from '@assay/observability';
import { Notifications } from '@assay/persistence/outbox';
import { Model } from '@assay/submissions';
import { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { exhaustMap, filter, interval, Observable, Subject } from 'rxjs';
import { Environment } from '../environment.js';
import type { FollowerConnection } from './follower-connection.js';
import { FollowerQueue } from './follower-queue.js';

/** The number of pings within the stall timeout of a connection. */
const PINGS = 4;

/** The reasons why the service stops sending events to a follower, with a sentence for the client. */
const DROPPED = {
  queue_full: 'You read events more slowly than they occur. Connect again to receive the current state.',
  stalled: 'You have not read events for too long. Connect again to receive the current state.',
} as const;
type DropReason = keyof typeof DROPPED;

/** An event that a follower receives. */
export type FollowerEvent =
  ModelEvent | { readonly type: 'ping' } | { readonly type: 'dropped'; readonly reason: string };

/** Streams the events of models. */
@Injectable()
export class ModelEvents implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly notices = new Subject<Notice>();
  private readonly closing = new Subject<void>();
  private readonly logger = new Logger(ModelEvents.name);
  private readonly dropped: ReturnType<typeof droppedFollowers>;
  /** The interval between pings in milliseconds. */
  private readonly ping: number;

  constructor(
    private readonly notifications: Notifications,
    private readonly orm: MikroORM,
    environment: Environment,
    metrics: Metrics,
  ) {
    this.dropped = droppedFollowers(metrics);
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
   *
   * Notices wait in a queue until the connection of the follower has room. Of the progress on a
   * dataset, only the latest waits. A follower for whom too much waits, or who reads nothing for the
   * stall timeout, is dropped: the last event has the reason.
   */
  of({ id, task, specification }: Model, { mayGoOn, seesExact, connection }: Follower): Observable<FollowerEvent> {
    const followed: Followed = { id, task: task.id, specification: specification?.id ?? null, seesExact };
    return new Observable((follower) => {
      const queue = new FollowerQueue<Notice>();
      let isSending = false;
      const drop = (reason: DropReason): void => {
        this.dropped.inc({ reason });
        this.logger.warn(`stopped sending events of model ${id} to a follower: ${DROPPED[reason]}`);
        follower.next({ type: 'dropped', reason: DROPPED[reason] });
        follower.complete();
        connection.closeSoon();
      };
      const send = async (): Promise<void> => {
        for (let notice = queue.shift(); notice && !follower.closed; notice = queue.shift()) {
          const event = await this.heard(notice, followed);
          if (event === null) continue;
          // a model that fails before its first score becomes private
          const isPrivate = event.type === 'state' && event.state === 'failed' && !(await mayGoOn());
          if (!isPrivate) follower.next(event);
          if (isPrivate || (event.type === 'state' && isFinal(event.state))) follower.complete();
          else if (!(await connection.untilRoom()) && !follower.closed) drop('stalled');
        }
        isSending = false;
      };
      const fail = (error: unknown): void => follower.error(error);
      const add = (notice: Notice): void => {
        const isFull = !queue.push(notice, notice.replaces);
        if (isFull) drop('queue_full');
        if (isFull || isSending) return;
        isSending = true;
        send().catch(fail);
      };
      const live = this.notices.pipe(filter(({ message }) => mayConcern(message, followed)));
      follower.add(live.subscribe(add));
      follower.add(this.closing.subscribe(() => follower.complete()));
      const pings = interval(this.ping).pipe(exhaustMap(mayGoOn));
      follower.add(
        pings.subscribe({
          next: (mayStill) => {
            if (!mayStill) follower.complete();
            else if (!connection.isFull) follower.next({ type: 'ping' });
          },
          error: fail,
        }),
      );
      // subscribes to the changes before it reads the state, so that no change is missed
      add(new Notice('missed'));
    });
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
  /**
   * Called before each ping and before a failure is emitted. The stream ends if it returns false.
   */
  readonly mayGoOn: () => Promise<boolean>;
  /** True for the owner of the task. Others receive rounded scores if the task asks for that. */
  readonly seesExact: boolean;
  readonly connection: FollowerConnection;
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

  /** The key of the notices that this one makes obsolete (see `FollowerQueue`); null: there are none. */
  get replaces(): string | null {
    if (this.message === 'missed' || this.message.event.type !== 'progress') return null;
    const { dataset, perturbation } = this.message.event;
    return JSON.stringify([this.message.specification, this.message.model, dataset, perturbation]);
  }

  /** Returns the state of a model, read after the notification. */
  standing(model: string, read: (model: string) => Promise<Standing>): Promise<Standing> {
    const standing = this.standings.get(model) ?? read(model);
    this.standings.set(model, standing);
    return standing;
  }
}

const droppedFollowers = (metrics: Metrics) =>
  metrics.counter('assay_followers_dropped_total', 'Followers of a model who did not read its events, by the reason', [
    'reason',
  ]);

function mayConcern(message: Notice['message'], { id, task }: Followed): boolean {
  if (message === 'missed') return true;
  return message.model === undefined ? message.task === task : message.model === id;
}

function noted({ event, specification }: Standing, followed: Followed): ModelEvent {
  followed.specification ??= specification;
  return event;
}
