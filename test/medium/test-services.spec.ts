import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { rowsOf, startRedis, testDatabase } from '../factories/worlds/test-services.js';

describe('the test services', () => {
  const endings: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of endings) await end();
  });

  it('gives every spec an empty database of its own', async () => {
    const [one, other] = await Promise.all([testDatabase(), testDatabase()]);
    endings.push(
      () => one.drop(),
      () => other.drop(),
    );

    await rowsOf(one.url, 'CREATE TABLE mark (value text)');

    expect(one.url).not.toBe(other.url);
    await expect(rowsOf(other.url, 'SELECT * FROM mark')).rejects.toThrow('does not exist');
  });

  it('drops a database that somebody still holds', async () => {
    const database = await testDatabase();
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();

    await database.drop();

    await expect(rowsOf(database.url, 'SELECT 1')).rejects.toThrow('does not exist');
  });

  it('starts, stops and restarts a Redis on one port', async () => {
    const redis = await startRedis();
    endings.push(() => redis.stop());

    await redis.stop();
    await redis.start();

    expect(redis.url).toMatch(/^redis:\/\/127\.0\.0\.1:\d+$/);
  });
});
