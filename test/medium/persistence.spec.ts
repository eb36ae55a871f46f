import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { databaseOptions } from '@assay/persistence';
import { withAdvisoryLock } from '@assay/persistence/locks';
import { Notifications, notifyChannel, OutboxEvent, type OutboxRecord, OutboxRelay } from '@assay/persistence/outbox';
import { inTransaction, isUniqueViolation, preparedRows, SerializationFailure } from '@assay/persistence/queries';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { type TestDatabase, testDatabase } from '../factories/worlds/test-services.js';
import { until } from '../factories/until.js';

let database: TestDatabase;
let orm: MikroORM;
let admin: pg.Client;

beforeAll(async () => {
  database = await testDatabase();
  orm = await MikroORM.init(databaseOptions({ url: database.url, entities: [OutboxEvent], poolMax: 5 }));
  await orm.schema.create();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
});

afterAll(async () => {
  await admin.end();
  await orm.close();
  await database.drop();
});

/** Ends all sessions of the database but this one, as a restart of the server does. */
async function cutConnections(): Promise<void> {
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
}

/** Adds an event of any name. */
const addEvent = (em: EntityManager, type: string): OutboxEvent =>
  em.create(OutboxEvent, { type, payload: { of: type }, origin: null }, { persist: true });

describe('the schema', () => {
  it('is what the entities say, with the trigger, and leaves the queue alone', async () => {
    await admin.query('create schema if not exists bullmq; create table if not exists bullmq.job (id text)');

    expect((await orm.schema.getUpdateSchemaSQL()).trim()).toBe('');
  });

  it('keeps time in UTC', async () => {
    expect(await orm.em.fork().execute("select current_setting('timezone') as zone")).toEqual([{ zone: 'UTC' }]);
  });
});

describe('the pool', () => {
  it('has all its places again after connections were lost in transactions', async () => {
    const pool = await MikroORM.init(databaseOptions({ url: database.url, entities: [OutboxEvent], poolMax: 2 }));
    for (let loss = 0; loss < 4; loss++) {
      const lost = pool.em.fork().transactional(async (em) => {
        await em.execute('select 1');
        await cutConnections();
        await em.execute('select 1');
      });
      await expect(lost).rejects.toThrow();
    }

    expect(await pool.em.fork().transactional((em) => em.execute('select 1 as one'))).toEqual([{ one: 1 }]);
    await pool.close();
  });

  it('of two gives work that needs a second connection its turn, instead of leaving all to wait for each other', async () => {
    const pool = await MikroORM.init(databaseOptions({ url: database.url, entities: [OutboxEvent], poolMax: 2 }));
    const notifications = new Notifications({ url: database.url });
    const second = (): Promise<unknown> => pool.em.fork().transactional((em) => em.execute('select pg_sleep(0.05)'));
    const relay = new OutboxRelay(pool.em, notifications, async () => {
      await second();
    });
    const em = pool.em.fork();
    for (let event = 0; event < 4; event++) addEvent(em, 'some');
    await em.flush();

    const reconcilers = Array.from({ length: 4 }, (_, index) =>
      withAdvisoryLock(pool.em, `reconciler ${index}`, second),
    );
    await Promise.all([...reconcilers, relay.drain(), relay.drain()]);

    await admin.query('truncate outbox_event');
    await notifications.close();
    await pool.close();
  });

  it('lets work that has its turn ask for a lock of its own', async () => {
    const pool = await MikroORM.init(databaseOptions({ url: database.url, entities: [OutboxEvent], poolMax: 2 }));
    const inner = () => withAdvisoryLock(pool.em, 'inner', (em) => em.execute('select 1 as one'));

    expect(await withAdvisoryLock(pool.em, 'outer', inner)).toEqual([{ one: 1 }]);
    await pool.close();
  });

  it('leaves nothing of its queries in the old space of V8', async () => {
    // V8 hides the effect in optimised code, and when it optimises varies
    const flags = ['--expose-gc', '--no-turbofan', '--max-semi-space-size=4'];
    const program = ['--import', './scripts/typescript.mjs', 'test/factories/measurement/old-space-of-queries.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...program, database.url]);

    expect(Number(stdout)).toBeLessThan(500);
  });

  it('says what is wrong with a query, and where it was asked', async () => {
    const asked = orm.em.fork().execute('select 1 / 0');

    await expect(asked).rejects.toThrow('division by zero');
    await expect(asked).rejects.toMatchObject({ code: '22012', stack: expect.stringContaining('executeQuery') });
  });
});

describe('a transaction', () => {
  beforeAll(() => admin.query('create table lane (name text primary key, passed int not null default 0)'));
  afterAll(() => admin.query('drop table lane'));

  const pass = (em: EntityManager, name: string) =>
    em.execute('update lane set passed = passed + 1 where name = ?', [name]);

  it('is tried again after a deadlock, so that both sides of one are done', async () => {
    await admin.query(`insert into lane (name) values ('left'), ('right')`);
    const firsts = [Promise.withResolvers<true>(), Promise.withResolvers<true>()] as const;
    let tries = 0;
    const cross = (own: 0 | 1, names: readonly [string, string]) =>
      inTransaction(orm.em, async (em) => {
        tries++;
        await pass(em, names[0]);
        firsts[own].resolve(true);
        await firsts[own === 0 ? 1 : 0].promise;
        await pass(em, names[1]);
      });

    await Promise.all([cross(0, ['left', 'right']), cross(1, ['right', 'left'])]);

    expect(tries).toBeGreaterThan(2);
    const { rows } = await admin.query('select passed from lane');
    expect(rows).toEqual([{ passed: 2 }, { passed: 2 }]);
  });

  it('is tried five times, and never again after another failure', async () => {
    let tries = 0;
    const failing = (error: Error) => inTransaction(orm.em, () => Promise.reject((tries++, error)));

    await expect(failing(new SerializationFailure('again'))).rejects.toThrow('again');
    expect(tries).toBe(5);
    await expect(failing(new Error('no'))).rejects.toThrow('no');
    expect(tries).toBe(6);
  });
});

describe('a prepared statement', () => {
  const statement = 'select $1::int as number, $2::text[] as texts, $3::timestamptz as at';
  const prepared = async (em: MikroORM['em'], text: string) => {
    const [row] = await em.execute<{ count: string; plans: string }[]>(
      'select count(*), sum(generic_plans + custom_plans) as plans from pg_prepared_statements where statement = ?',
      [text],
    );
    return { count: Number(row!.count), plans: Number(row!.plans) };
  };

  it('is one for its connection, whatever its values, and answers as any other', async () => {
    await orm.em.fork().transactional(async (em) => {
      const at = '2026-01-02T03:04:05Z';
      for (const number of [1, 2, 3]) {
        const rows = await preparedRows(em, statement, [number, ['a', 'b'], new Date(at)]);
        const [same] = await em.execute<unknown[]>(
          `select ${number} as number, array['a', 'b']::text[] as texts, '${at}'::timestamptz as at`,
        );
        expect(rows).toEqual([same]);
      }

      expect(await prepared(em, statement)).toEqual({ count: 1, plans: 3 });
    });
  });

  it('is what a transaction has written so far, and outside of it what all may see', async () => {
    const count = 'select count(*)::int as count from outbox_event where type = $1';
    const counted = async (em: MikroORM['em']) => (await preparedRows<{ count: number }>(em, count, ['prepared']))[0];
    const undone = orm.em.fork().transactional(async (em) => {
      await em.execute("insert into outbox_event (type, payload) values ('prepared', '{}')");
      expect(await counted(em)).toEqual({ count: 1 });
      expect(await counted(orm.em.fork())).toEqual({ count: 0 });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');

    expect(await counted(orm.em.fork())).toEqual({ count: 0 });
  });

  it('that was refused is asked again', async () => {
    const given = 'select 1 / $1::int as quotient';
    await orm.em.fork().transactional(async (em) => {
      const refused = em.transactional((inner) => preparedRows(inner, given, [0]));
      await expect(refused).rejects.toMatchObject({ code: '22012' });

      expect(await preparedRows(em, given, [1])).toEqual([{ quotient: 1 }]);
    });
  });
});

describe('the outbox', () => {
  let notifications: Notifications;
  let relays: OutboxRelay[];
  let told: OutboxRecord[];

  beforeEach(() => {
    notifications = new Notifications({ url: database.url });
    relays = [];
    told = [];
  });

  afterEach(async () => {
    for (const relay of relays) await relay.stop();
    await notifications.close();
    await admin.query('truncate outbox_event');
  });

  function relayTo(handler: (event: OutboxRecord) => void | Promise<void>, pollMilliseconds = 60_000): OutboxRelay {
    const relay = new OutboxRelay(orm.em, notifications, async (event) => handler(event), { pollMilliseconds });
    relays.push(relay);
    return relay;
  }

  async function happen(...types: string[]): Promise<void> {
    const em = orm.em.fork();
    for (const type of types) addEvent(em, type);
    await em.flush();
  }

  const remember = (event: OutboxRecord): void => {
    told.push(event);
  };

  it('tells of what was committed, in order, with its payload', async () => {
    // the IDs of the events differ in length
    await admin.query(`select setval(pg_get_serial_sequence('outbox_event', 'id'), 999998)`);
    await happen('a', 'b');
    await happen('c');

    expect(await relayTo(remember).drain()).toBe(3);

    expect(told.map(({ type, payload }) => [type, payload])).toEqual([
      ['a', { of: 'a' }],
      ['b', { of: 'b' }],
      ['c', { of: 'c' }],
    ]);
    expect(await relayTo(remember).drain()).toBe(0);
  });

  it('never tells of what was rolled back', async () => {
    const doomed = orm.em.fork().transactional(async (em) => {
      addEvent(em, 'never');
      await em.flush();
      throw new Error('rolled back');
    });
    await expect(doomed).rejects.toThrow('rolled back');

    expect(await relayTo(remember).drain()).toBe(0);
  });

  it('tells of what is due later than anything should be: the clock was set back', async () => {
    await happen('tried again soon', 'from before');
    const due = 'update outbox_event set due_at = now() + $1::interval where type = $2';
    await admin.query(due, ['60 seconds', 'tried again soon']);
    await admin.query(due, ['1 hour', 'from before']);

    await relayTo(remember).drain();

    expect(told.map(({ type }) => type)).toEqual(['from before']);
  });

  it('is notified by the commit, long before it polls', async () => {
    await relayTo(remember).start();
    await until(async () => (await relayTo(remember).drain()) === 0);

    const started = performance.now();
    await happen('notify');
    await until(() => told.length === 1, 5000);

    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('finds by polling what it was not notified of', async () => {
    await relayTo(remember, 100).start();
    await admin.query('alter table outbox_event disable trigger all');
    await happen('silent');
    await admin.query('alter table outbox_event enable trigger all');

    await until(() => told.length === 1);
  });

  it('is shared by many relays, and each event is delivered once', async () => {
    await Promise.all([relayTo(remember).start(), relayTo(remember).start()]);
    const types = Array.from({ length: 300 }, (_, index) => `t${index}`);

    await happen(...types);
    await until(() => told.length >= 300);
    await sleep(200);

    expect(told.map(({ type }) => type).sort()).toEqual(types.sort());
  });

  it('tells again later of what its handler could not take, and does not hold up the rest', async () => {
    let failures = 0;
    const relay = relayTo((event) => {
      if (event.type === 'bad' && failures++ === 0) throw new Error('the queue is away');
      remember(event);
    }, 200);
    await happen('bad', 'good');

    await relay.start();
    await until(() => told.length === 2);

    expect(told.map(({ type }) => type)).toEqual(['good', 'bad']);
  });

  it('holds no transaction for longer than it should: what a slow handler leaves is delivered in the next', async () => {
    await happen('a', 'b', 'c', 'd', 'e', 'f');
    const slow = async (): Promise<void> => sleep(60);
    const relay = new OutboxRelay(orm.em, notifications, slow, { batchMilliseconds: 100 });

    expect(await relay.drain()).toBe(6);

    const transactions = await admin.query('select distinct delivered_at from outbox_event');
    expect(transactions.rowCount).toBeGreaterThanOrEqual(3);
  });

  it('continues after all connections were lost', async () => {
    await relayTo(remember, 300).start();
    await happen('before');
    await until(() => told.length === 1);

    await cutConnections();
    await until(() =>
      happen('after').then(
        () => true,
        () => false,
      ),
    );

    await until(() => told.some(({ type }) => type === 'after'));
  });

  it('stops without a trace, and keeps what nobody was told of', async () => {
    const relay = relayTo(remember);
    await relay.start();
    await relay.stop();
    await happen('later');
    await sleep(200);

    expect(told).toEqual([]);
    expect(await relayTo(remember).drain()).toBe(1);
  });

  it('prunes what was delivered long ago, and nothing else', async () => {
    await happen('old', 'fresh', 'undelivered');
    await admin.query(`update outbox_event set delivered_at = now() - interval '8 days' where type = 'old'`);
    await admin.query(`update outbox_event set delivered_at = now() where type = 'fresh'`);

    expect(await relayTo(remember).prune()).toBe(1);

    expect((await admin.query('select type from outbox_event order by id')).rows).toEqual([
      { type: 'fresh' },
      { type: 'undelivered' },
    ]);
  });
});

describe('notifications', () => {
  let notifications: Notifications;

  beforeEach(() => {
    notifications = new Notifications({ url: database.url });
  });

  afterEach(() => notifications.close());

  it('reach every subscriber of a channel, at the commit, and nobody else', async () => {
    const got: string[] = [];
    await notifications.subscribe('board', (payload) => got.push(`one ${payload}`));
    const leave = await notifications.subscribe('board', (payload) => got.push(`two ${payload}`));
    await notifications.subscribe('other "channel"', (payload) => got.push(`other ${payload}`));

    await orm.em.fork().transactional(async (em) => {
      await notifyChannel(em, 'board', 'r1');
      await sleep(100);
      expect(got).toEqual([]);
    });
    await until(() => got.length === 2);
    await leave();
    await notifyChannel(orm.em.fork(), 'board', 'r2');
    await notifyChannel(orm.em.fork(), 'other "channel"', 'x');
    await until(() => got.length === 4);

    expect(got).toEqual(['one r1', 'two r1', 'one r2', 'other x']);
  });

  it('come again after the connection was lost, and the gap is reported', async () => {
    const got: string[] = [];
    let gaps = 0;
    await notifications.subscribe(
      'board',
      (payload) => got.push(payload),
      () => gaps++,
    );

    await cutConnections();
    await until(() => gaps === 1);
    await until(() =>
      notifyChannel(orm.em.fork(), 'board', 'after').then(
        () => true,
        () => false,
      ),
    );

    await until(() => got.includes('after'));
  });

  it('refuse what PostgreSQL would not carry', async () => {
    await expect(notifyChannel(orm.em.fork(), 'board', 'é'.repeat(4000))).rejects.toThrow(RangeError);
  });
});

describe('the advisory lock', () => {
  it('lets one in at a time, and tells the other', async () => {
    let inside = 0;
    const results = await Promise.all(
      [1, 2, 3].map((value) =>
        withAdvisoryLock(orm.em, 'reconciler', async () => {
          inside++;
          await sleep(200);
          return value;
        }),
      ),
    );

    expect(inside).toBe(1);
    expect(results.filter((result) => result === null)).toHaveLength(2);
    expect(await withAdvisoryLock(orm.em, 'reconciler', () => Promise.resolve('again'))).toBe('again');
  });

  it('ends with an error of its holder', async () => {
    await expect(withAdvisoryLock(orm.em, 'reconciler', () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );

    expect(await withAdvisoryLock(orm.em, 'reconciler', () => Promise.resolve(1))).toBe(1);
  });
});

describe('errors of the database', () => {
  it('say whether a row with the same key exists', async () => {
    const em = orm.em.fork();
    await em.execute('create table if not exists named (name text constraint named_once unique)');
    await em.execute("insert into named values ('a')");

    const error: unknown = await em.execute("insert into named values ('a')").catch((reason: unknown) => reason);
    await em.execute('drop table named');

    expect(isUniqueViolation(error)).toBe(true);
    expect(isUniqueViolation(new Error('x'))).toBe(false);
  });
});
