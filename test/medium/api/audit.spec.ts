import { Context } from '@assay/collection/rounds';
import { User } from '@assay/identity';
import { AuditEntry, AuditLog } from '@assay/identity/audit';
import { newId } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotationFactory } from '../../factories/collection/annotations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { rowsOf } from '../../factories/worlds/test-services.js';

const TASK = {
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['hateful', 'harmless'] },
  performance: 'accuracy',
  quota: { perDay: 20 },
};
const LINK = {
  platform: 'mturk',
  examples: 4,
  pay: { amount: 2, currency: 'USD', minutes: 10 },
  expiresAt: '2099-01-01T00:00:00.000Z',
};

describe('the audit log', () => {
  let world: ApiWorld;
  const tokens: Record<string, string> = {};
  let count = 0;

  beforeAll(async () => {
    world = await apiWorld();
    tokens['admin'] = world.admin;
    for (const name of ['owner', 'builder', 'writer']) tokens[name] = await world.user(name);
  });
  afterAll(() => world.close());

  const as =
    (name: string) =>
    async (method: string, path: string, body?: object | string): Promise<Answer> => {
      const type = typeof body === 'string' ? { type: 'application/x-ndjson' } : {};
      return world.call(method, path, { token: tokens[name], ...type, ...(body !== undefined && { body }) });
    };
  const [owner, builder, admin] = [as('owner'), as('builder'), as('admin')];

  /** Returns the audit entries of one subject, oldest first. */
  async function entriesOf(subject: string): Promise<readonly Entry[]> {
    const { body } = await admin('GET', `/admin/audit?subject=${subject}`);
    return [...(body.items as Entry[])].reverse();
  }
  /** The entries of a subject as actor, action, old value and new value. */
  const changesOf = async (subject: string) =>
    (await entriesOf(subject)).map(({ actor, action, from, to }) => [actor?.username, action, from, to]);

  async function task(): Promise<{ readonly slug: string; readonly id: string }> {
    const slug = `tone-${++count}`;
    expect((await owner('POST', '/tasks', { ...TASK, slug })).status).toBe(201);
    const { body } = await admin('GET', '/admin/audit?action=task.created&limit=1');
    return { slug, id: body.items[0].subject.id };
  }

  async function model(slug: string, given: { readonly publish?: boolean } = {}): Promise<string> {
    const { body } = await builder('POST', `/tasks/${slug}/models`, {
      name: 'Bert',
      kind: 'container',
      ...given,
    });
    await world.call('PUT', `/models/${body.id}/artifact`, { token: tokens['builder'], body: newId() });
    const em = world.orm.em.fork();
    const found = await em.findOneOrFail(Model, body.id, { populate: ['specification.artifact'] });
    await em.nativeUpdate(Artifact, found.specification!.artifact.id, { state: 'admitted' });
    return body.id as string;
  }

  it('has who made a task, and what of it was changed', async () => {
    const { slug, id } = await task();
    await owner('PATCH', `/tasks/${slug}`, { weights: { accuracy: 2 }, loop: { size: 3 } });
    await admin('PATCH', `/tasks/${slug}`, { weights: { accuracy: 2 } });
    await admin('PATCH', `/tasks/${slug}`, { name: 'Tones' });
    const [made, changed, renamed, ...more] = await entriesOf(id);
    expect(more).toEqual([]);
    expect(made).toMatchObject({
      actor: { id: expect.any(String), username: 'owner' },
      action: 'task.created',
      subject: { kind: 'task', id, name: slug },
      from: null,
      to: { slug, name: 'Tone', performance: 'accuracy' },
      network: '127.0.0.0/24',
    });
    expect(Date.parse(made!.at)).toBeGreaterThan(Date.now() - 60_000);
    expect(Object.keys(changed!.to!).sort()).toEqual(['loop', 'weights']);
    expect(changed).toMatchObject({
      from: { weights: null, loop: { size: 1 } },
      to: { weights: { accuracy: 2 }, loop: { size: 3 } },
    });
    expect(renamed).toMatchObject({ actor: { username: 'admin' }, from: { name: 'Tone' }, to: { name: 'Tones' } });
  });

  it('has nothing of what was refused', async () => {
    const { slug, id } = await task();
    const before = (await entriesOf(id)).length;
    expect((await builder('PATCH', `/tasks/${slug}`, { name: 'Mine' })).status).toBe(403);
    expect((await owner('PATCH', `/tasks/${slug}`, { weights: { unknown: 1 } })).status).toBe(422);
    expect((await owner('POST', '/tasks', { ...TASK, slug })).status).toBe(409);
    expect(await entriesOf(id)).toHaveLength(before);
    const { body } = await admin('GET', '/admin/audit?action=task.created');
    expect(body.items.filter(({ subject }: Entry) => subject.name === slug)).toHaveLength(1);
  });

  it('has datasets, and what was activated', async () => {
    const { slug } = await task();
    const put = (query: string, text = 'one') =>
      owner('PUT', `/tasks/${slug}/datasets/open?${query}`, JSON.stringify({ id: '1', text, label: 'harmless' }));
    await put('visibility=hidden');
    await put('visibility=hidden');
    await put('visibility=inputs');
    await owner('PATCH', `/tasks/${slug}/datasets/open`, { visibility: 'public' });
    await owner('PATCH', `/tasks/${slug}/datasets/open`, { visibility: 'public' });
    const [{ subject }] = (await admin('GET', '/admin/audit?action=dataset.put&limit=1')).body.items as [Entry];
    expect(subject).toMatchObject({ kind: 'dataset', name: `${slug}/open` });
    expect(await changesOf(subject.id)).toEqual([
      ['owner', 'dataset.put', expect.any(Object), expect.objectContaining({ version: 1, visibility: 'hidden' })],
      ['owner', 'dataset.changed', expect.any(Object), { visibility: 'inputs', publicSince: expect.any(String) }],
      ['owner', 'dataset.changed', { visibility: 'inputs' }, { visibility: 'public' }],
    ]);

    const em = world.orm.em.fork();
    await em.execute(`update model set state = 'scored' where id = ?`, [await model(slug)]);
    await em.execute(
      `insert into dataset_version select (jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid(), 'number', 2,
         'digest', repeat('0', 64), 'status', 'proposed'))).* from dataset_version v where v.dataset_id = ?`,
      [subject.id],
    );
    expect((await owner('POST', `/tasks/${slug}/benchmark-versions?preview`, {})).status).toBe(200);
    expect((await owner('POST', `/tasks/${slug}/benchmark-versions`, {})).status).toBe(201);
    const { items } = (await admin('GET', '/admin/audit?action=benchmark.activated')).body;
    expect(items.slice(0, 2)).toMatchObject([
      { subject: { name: `${slug} v2` }, from: { retired: ['open v1'] }, to: { activated: ['open v2'] } },
      { subject: { name: `${slug} v1` }, from: { retired: [] }, to: { activated: ['open v1'] } },
    ]);
  });

  it('has what became of a model, and by whom', async () => {
    const { slug } = await task();
    await owner('PUT', `/tasks/${slug}/datasets/open`, JSON.stringify({ id: '1', text: 'one', label: 'harmless' }));
    const id = await model(slug, { publish: false });
    const path = `/models/${id}`;
    await builder('POST', `${path}/publish`);
    await builder('POST', `${path}/publish`);
    await builder('PATCH', path, { loop: false });
    await builder('POST', `${path}/cancel`);
    await admin('POST', `${path}/rerun`);
    expect((await builder('POST', `${path}/rerun?measures=true`)).status).toBe(409);
    await admin('POST', `${path}/cancel`);
    await builder('POST', `${path}/withdraw`);
    await builder('POST', `${path}/archive`);
    await builder('POST', `${path}/archive`);
    expect((await entriesOf(id))[0]!.subject).toEqual({ kind: 'model', id, name: `${slug}/Bert` });
    expect(await changesOf(id)).toEqual([
      ['builder', 'model.submitted', null, { kind: 'container', published: false }],
      ['builder', 'model.artifact', null, { artifact: expect.any(String), bytes: expect.any(Number) }],
      ['builder', 'model.published', { published: false }, { published: true }],
      ['builder', 'model.loop', { loop: true }, { loop: false }],
      ['builder', 'model.cancelled', { state: expect.any(String) }, { state: 'cancelled' }],
      ['admin', 'model.rerun', { state: 'cancelled' }, { measures: false }],
      ['admin', 'model.cancelled', { state: expect.any(String) }, { state: 'cancelled' }],
      ['builder', 'model.withdrawn', { withdrawn: false }, { withdrawn: true }],
      ['builder', 'model.archived', { archived: false }, { archived: true }],
    ]);
  });

  it('has rounds, contexts, crowd links and decisions', async () => {
    const { slug } = await task();
    const models = [await model(slug)];
    const round = (await owner('POST', `/tasks/${slug}/rounds`, { models })).body;
    const path = `/tasks/${slug}/rounds/1`;
    await owner('PATCH', path, { description: 'First' });

    const em = world.orm.em.fork();
    const context = em.create(Context, { round: round.id as string, externalId: 'c', content: {} });
    await em.flush();
    for (const active of [false, false, true]) await owner('PATCH', `/contexts/${context.id}`, { active });
    const link = (await owner('POST', `${path}/crowd-links`, LINK)).body;
    for (let times = 0; times < 2; times++) await owner('POST', `${path}/crowd-links/${link.id}/close`);
    const annotations = await annotationFactory(world.orm, slug);
    const { id: annotation } = await annotations.written({ by: 'writer', answeredAt: new Date() });
    const decision = { outcome: 'validated', label: ['hateful'], reason: 'Said by owner.' };
    expect((await owner('POST', `/annotations/${annotation}/decide`, decision)).status).toBe(200);
    await owner('POST', `${path}/close`, {});

    const name = `${slug} round 1`;
    expect((await entriesOf(round.id as string))[0]!.subject).toEqual({ kind: 'round', id: round.id, name });
    expect(await changesOf(round.id as string)).toEqual([
      ['owner', 'round.opened', null, { models, turn: {} }],
      ['owner', 'round.changed', { description: '' }, { description: 'First' }],
      ['owner', 'round.closed', { state: 'open' }, { state: 'closing', pending: 'leave' }],
    ]);
    expect(await changesOf(context.id)).toEqual([
      ['owner', 'context.changed', { active: true }, { active: false }],
      ['owner', 'context.changed', { active: false }, { active: true }],
    ]);
    const { platform, examples, pay, expiresAt } = LINK;
    expect(await changesOf(link.id as string)).toEqual([
      ['owner', 'crowd_link.made', null, { platform, examples, pay, expiresAt }],
      ['owner', 'crowd_link.closed', { closed: false }, { closed: true }],
    ]);
    expect(await changesOf(annotation)).toEqual([
      ['owner', 'annotation.decided', { outcome: 'pending' }, { outcome: 'validated', relabelled: true }],
    ]);
  });

  it('has roles, who was kept out, and who was verified', async () => {
    const { id } = await world.orm.em.fork().findOneOrFail(User, { username: 'writer' });
    for (const role of ['administrator', 'administrator', 'user']) await admin('PATCH', `/admin/users/${id}`, { role });
    for (const blocked of [true, false]) await admin('PATCH', `/admin/users/${id}`, { blocked });
    for (const verified of [true, true, false]) await admin('PATCH', `/admin/users/${id}`, { verified });
    const changes = (await changesOf(id)).slice(-6);
    expect(changes).toEqual([
      ['admin', 'account.role', { role: 'user' }, { role: 'administrator' }],
      ['admin', 'account.role', { role: 'administrator' }, { role: 'user' }],
      ['admin', 'account.blocked', { blocked: false }, { blocked: true }],
      ['admin', 'account.blocked', { blocked: true }, { blocked: false }],
      ['admin', 'account.verified', { verified: false }, { verified: true }],
      ['admin', 'account.verified', { verified: true }, { verified: false }],
    ]);
    expect((await entriesOf(id))[0]!.subject).toEqual({ kind: 'account', id, name: 'writer' });
  });

  it('has tokens, and names nobody whose account is deleted', async () => {
    tokens['deedee'] = await world.user('deedee');
    const { id: account } = await world.orm.em.fork().findOneOrFail(User, { username: 'deedee' });
    const token = (await as('deedee')('POST', '/tokens', { name: 'of deedee' })).body.id as string;
    await as('deedee')('DELETE', `/tokens/${token}`);
    expect(await changesOf(token)).toEqual([
      [
        'deedee',
        'token.made',
        null,
        { account, scope: 'all', expiresAt: expect.any(String), parent: expect.any(String) },
      ],
      ['deedee', 'token.revoked', null, { account }],
    ]);
    const exported = (await as('deedee')('GET', '/me/export')).body.changes as { action: string }[];
    expect(exported.map(({ action }) => action)).toEqual(['token.made', 'token.made', 'token.revoked']);

    await as('deedee')('POST', '/me/deletion', { text: 'keep', password: 'deedee-has-a-password' });
    const [deleted] = await entriesOf(account);
    expect(deleted).toMatchObject({
      actor: { id: account, username: null },
      action: 'account.deleted',
      subject: { name: null },
      to: { text: 'keep' },
    });
    const { body } = await admin('GET', `/admin/audit?actor=${account}`);
    expect(body.items).toHaveLength(4);
    expect(JSON.stringify(body)).not.toContain('deedee');
    const rows = await world.orm.em.fork().execute<{ row: string }[]>('select e::text as row from audit_entry e');
    expect(rows.filter(({ row }) => row.includes('deedee'))).toEqual([]);
  });

  it('is for administrators, who filter by account, by action, and page by page', async () => {
    expect((await owner('GET', '/admin/audit')).body.code).toBe('administrators_only');
    expect((await world.call('GET', '/admin/audit')).status).toBe(401);
    await task();
    await task();
    const of = async (query: string) => (await admin('GET', `/admin/audit?${query}`)).body;
    const byOwner = await of('actor=Owner&action=task.created');
    expect(byOwner.items.length).toBeGreaterThanOrEqual(2);
    expect(byOwner.items.every(({ actor }: Entry) => actor!.username === 'owner')).toBe(true);
    expect((await of('actor=nobody')).items).toEqual([]);
    expect((await admin('GET', '/admin/audit?action=task.read')).status).toBe(422);
    const first = await of('action=task.created&limit=1');
    const second = await of(`action=task.created&limit=1&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items]).toEqual(byOwner.items.slice(0, 2));
  });

  it('is only added to, together with what it tells of', async () => {
    const em = world.orm.em.fork();
    for (const statement of [
      `update audit_entry set action = 'task.changed'`,
      'delete from audit_entry where false',
      'truncate audit_entry',
    ]) {
      await expect(em.execute(statement)).rejects.toThrow('permission denied for table audit_entry');
      await expect(rowsOf(world.ownerUrl, statement)).rejects.toThrow('the audit log is only added to');
    }
    const before = await em.count(AuditEntry);
    const failing = em.transactional(async (tx) => {
      AuditLog.record(tx, null, { action: 'task.changed', subject: { kind: 'task', id: newId() } });
      await tx.flush();
      throw new Error('what it tells of did not happen');
    });
    await expect(failing).rejects.toThrow('did not happen');
    expect(await em.fork().count(AuditEntry)).toBe(before);
  });
});

type Answer = Awaited<ReturnType<ApiWorld['call']>>;

interface Entry {
  readonly at: string;
  readonly actor: { readonly id: string; readonly username: string | null } | null;
  readonly action: string;
  readonly subject: { readonly kind: string; readonly id: string; readonly name: string | null };
  readonly from: Readonly<Record<string, unknown>> | null;
  readonly to: Readonly<Record<string, unknown>> | null;
  readonly network: string | null;
}
