import { Model } from '@assay/submissions';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { scoredModel } from '../../factories/models/scored-models.js';

const TASK = {
  slug: 'tone',
  name: 'Tone of voice',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['kind', 'rude'] },
  performance: 'accuracy',
  quota: { perDay: 10 },
};
const RECORDS = Array.from({ length: 4 }, (_, n) => JSON.stringify({ id: `${n}`, text: `${n}`, label: 'kind' }));

describe('search', () => {
  let world: ApiWorld;
  const tokens: Record<string, string | undefined> = {};

  beforeAll(async () => {
    world = await apiWorld();
    for (const name of ['owner', 'builder', 'ambert', 'quiet', 'gone']) tokens[name] = await world.user(name);
    for (const [slug, name] of [
      ['tone', 'Tone of voice'],
      ['atoned', 'Sins'],
      ['stone', 'Tone'],
      ['other', '100 %_\\ tones'],
    ]) {
      const { status } = await world.call('POST', '/tasks', { token: tokens['owner'], body: { ...TASK, slug, name } });
      expect(status).toBe(201);
    }
    await world.call('PUT', '/tasks/tone/datasets/open?visibility=public', {
      token: tokens['owner'],
      type: 'application/x-ndjson',
      body: RECORDS.join('\n'),
    });
    for (const name of ['roberta', 'Bert', 'distilbert', 'bert-large', 'Withdrawn bert']) {
      const answer = () => ({ text: 'kind' });
      const id = await scoredModel(world, { slug: 'tone', name, token: tokens['builder']!, answer });
      if (name.startsWith('Withdrawn')) await world.orm.em.fork().nativeUpdate(Model, id, { withdrawn: true });
    }
    await world.call('PATCH', '/me/profile', { token: tokens['ambert'], body: { displayName: 'Am Bertram' } });
    await world.call('PATCH', '/me/profile', { token: tokens['quiet'], body: { board: 'hidden' } });
    await world.call('PATCH', '/me/profile', { token: tokens['gone'], body: { bio: 'Bert' } });
    await world.call('POST', '/me/deletion', {
      token: tokens['gone'],
      body: { text: 'keep', password: 'gone-has-a-password' },
    });
  }, 300_000);
  afterAll(() => world.close());

  const find = async (q: string, token?: string, more = '') =>
    (await world.call('GET', `/search?q=${encodeURIComponent(q)}${more}`, { token })).body;
  const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

  it('puts what is named so first, then what begins so, then what has it inside', async () => {
    const { tasks, models } = await find('bert');
    expect(tasks).toEqual([]);
    expect(names(models)).toEqual(['Bert', 'bert-large', 'roberta', 'distilbert']);
    expect(models[0]).toEqual({ id: expect.any(String), name: 'Bert', task: 'tone', owner: 'builder' });
    const found = await find(' TONE ');
    expect(found.tasks.map(({ slug }: { slug: string }) => slug)).toEqual(['stone', 'tone', 'atoned', 'other']);
    expect(found.tasks[0]).toEqual({ slug: 'stone', name: 'Tone' });
  });

  it('takes signs of patterns for what they are', async () => {
    for (const q of ['%', '_', '\\', '%_\\ t']) expect(names((await find(q)).tasks)).toEqual(['100 %_\\ tones']);
    expect((await find('t%e')).tasks).toEqual([]);
  });

  it('finds a model that is not public for its owner, the owner of the task and administrators alone', async () => {
    for (const name of ['builder', 'owner']) {
      expect(names((await find('withdrawn', tokens[name])).models)).toEqual(['Withdrawn bert']);
    }
    expect(names((await find('withdrawn', world.admin)).models)).toEqual(['Withdrawn bert']);
    expect((await find('withdrawn', tokens['ambert'])).models).toEqual([]);
    expect((await find('withdrawn')).models).toEqual([]);
  });

  it('finds people who show something of themselves, by either name, and nobody else', async () => {
    expect((await find('bert')).people).toEqual([{ username: 'ambert', displayName: 'Am Bertram' }]);
    expect((await find('am b')).people).toEqual([{ username: 'ambert', displayName: 'Am Bertram' }]);
    expect((await find('build')).people).toEqual([{ username: 'builder', displayName: null }]);
    expect((await find('owner')).people).toEqual([{ username: 'owner', displayName: null }]);
    for (const q of ['quiet', 'gone', 'deleted', 'admin']) expect((await find(q)).people).toEqual([]);
  });

  it('gives as many of each kind as are asked for, and at most eight', async () => {
    expect(names((await find('bert', undefined, '&limit=2')).models)).toEqual(['Bert', 'bert-large']);
    for (const query of ['q=bert&limit=9', 'q=%20', 'limit=2', 'q=a&kind=task']) {
      expect((await world.call('GET', `/search?${query}`)).status).toBe(422);
    }
  });
});
