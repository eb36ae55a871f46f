import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Credential, User } from '@assay/identity';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const KIB = 1024;
const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['good', 'bad'] },
  performance: 'accuracy',
  limits: { artifact: '64KiB' },
  quota: { perDay: 100, total: 100 },
};

describe('storage', () => {
  let world: ApiWorld;
  const tokens: Record<string, string> = {};
  let made = 0;

  beforeAll(async () => {
    world = await apiWorld({ ASSAY_USER_STORAGE: '100KiB', ASSAY_SIGN_INS_PER_MINUTE: '10000' });
    tokens['admin'] = world.admin;
    for (const name of ['owner', 'eve']) tokens[name] = await world.user(name);
    await world.call('POST', '/tasks', { token: tokens['owner']!, body: TASK });
  });
  afterAll(() => world.close());

  const call = (name: string, method: string, path: string, body?: object) =>
    world.call(method, path, { token: tokens[name], ...(body && { body }) });
  const use = async (name: string) => (await call(name, 'GET', '/me/storage')).body;
  async function model(name: string): Promise<string> {
    const body = { name: `Model ${made++}`, kind: 'onnx' };
    return (await call(name, 'POST', '/tasks/tone/models', body)).body.id as string;
  }
  const put = async (name: string, bytes: Uint8Array, id?: string) =>
    world.call('PUT', `/models/${id ?? (await model(name))}/artifact`, { token: tokens[name], body: bytes });
  const open = async (name: string, bytes: number) =>
    world.call('POST', `/models/${await model(name)}/upload`, {
      token: tokens[name],
      headers: { 'tus-resumable': '1.0.0', 'upload-length': String(bytes) },
    });
  async function person(name: string): Promise<void> {
    tokens[name] = await world.user(name);
  }
  const blobs = async () => {
    const entries = await readdir(join(world.home, 'blobs'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  };
  const lines = (count: number) =>
    Array.from({ length: count }, (_, n) => JSON.stringify({ id: `e${n}`, text: 'x'.repeat(KIB), label: 'good' })).join(
      '\n',
    );
  const putDataset = (name: string, body: string, by = 'owner', task = 'tone') =>
    world.call('PUT', `/tasks/${task}/datasets/${name}`, { token: tokens[by], type: 'application/x-ndjson', body });
  /** Registers a user and creates a task, both with this name. */
  async function taskOf(name: string, parts: object = {}): Promise<void> {
    await person(name);
    expect((await call(name, 'POST', '/tasks', { ...TASK, slug: name, ...parts })).status).toBe(201);
  }
  /** Starts an upload of unknown length whose data the caller controls. */
  async function sending(name: string, id: string) {
    let controller: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
    const tus = { authorization: `Bearer ${tokens[name]}`, 'tus-resumable': '1.0.0' };
    const opened = await world.call('POST', `/models/${id}/upload`, {
      headers: { ...tus, 'upload-defer-length': '1' },
    });
    expect(opened.status).toBe(201);
    const answer = fetch(opened.headers.get('location')!, {
      method: 'PATCH',
      headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      body,
      duplex: 'half',
    });
    const file = join(world.home, 'uploads', opened.headers.get('location')!.split('/').at(-1)!);
    return {
      answer,
      push: (bytes: number) => controller.enqueue(randomBytes(bytes)),
      end: () => controller.close(),
      arrived: async (bytes: number) => {
        while ((await stat(file)).size < bytes) await setTimeout(5);
      },
    };
  }
  const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status).sort();

  it('is counted by what it is of, the same bytes once, and what is archived no more', async () => {
    await person('ann');
    const bytes = randomBytes(20 * KIB);
    const id = await model('ann');
    expect((await put('ann', bytes, id)).status).toBe(202);
    await put('ann', bytes);
    expect((await open('ann', 10 * KIB)).status).toBe(201);
    expect(await use('ann')).toEqual({ artifacts: 20 * KIB, datasets: 0, uploads: 10 * KIB, limit: 100 * KIB });
    expect((await world.call('GET', '/me/storage')).status).toBe(401);
    const em = world.orm.em.fork();
    await em.nativeUpdate(Artifact, { size: 20 * KIB }, { archivedAt: new Date() });
    expect(await use('ann')).toMatchObject({ artifacts: 0 });
  });

  it('is listed thing by thing, the largest first, and adds up', async () => {
    await person('gil');
    const bytes = randomBytes(20 * KIB);
    const [one, two, coming] = [await model('gil'), await model('gil'), await model('gil')];
    await put('gil', bytes, one);
    await put('gil', bytes, two);
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(30 * KIB) };
    await world.call('POST', `/models/${coming}/upload`, { token: tokens['gil'], headers });
    const things = async (name: string) => (await call(name, 'GET', '/me/storage/items')).body;
    expect(await things('gil')).toMatchObject({
      items: [
        { kind: 'upload', bytes: 30 * KIB, of: [{ task: 'tone', model: coming }] },
        { kind: 'artifact', bytes: 20 * KIB, of: [{ model: one }, { model: two }] },
      ],
      more: 0,
    });
    await putDataset('listed', lines(3));
    const { items } = await things('owner');
    expect(items).toContainEqual({
      kind: 'dataset',
      bytes: expect.any(Number),
      of: [{ task: 'tone', name: 'listed (1)' }],
    });
    const sum = (items as { bytes: number }[]).reduce((total, each) => total + each.bytes, 0);
    expect(sum).toBe((await use('owner')).datasets);
    const stopped = await world.call('DELETE', `/models/${coming}/upload`, { token: tokens['gil'], headers });
    expect(stopped.status).toBe(204);
    expect((await things('gil')).items).toHaveLength(1);
  });

  it('takes no artifact that does not fit, whether or not it says how long it is', async () => {
    await person('bob');
    expect((await put('bob', randomBytes(60 * KIB))).status).toBe(202);
    const before = await blobs();
    const refused = await put('bob', randomBytes(41 * KIB));
    expect(refused).toMatchObject({ status: 413, body: { code: 'storage_quota' } });
    expect(refused.body.detail).toMatch(/101 KiB.*limit is 100 KiB.*Archive models/);

    const chunks = new ReadableStream({
      start(controller) {
        controller.enqueue(randomBytes(41 * KIB));
        controller.close();
      },
    });
    const streamed = await fetch(`${world.url}/api/v1/models/${await model('bob')}/artifact`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokens['bob']}`, 'content-type': 'application/octet-stream' },
      body: chunks,
      duplex: 'half',
    });
    expect([streamed.status, ((await streamed.json()) as { code: string }).code]).toEqual([413, 'storage_quota']);
    expect(await blobs()).toBe(before);
    expect((await put('bob', randomBytes(40 * KIB))).status).toBe(202);
    // the task's own limit applies independently
    await person('fay');
    expect((await put('fay', randomBytes(65 * KIB))).body.code).toBe('artifact_too_large');
  });

  it('is taken by uploads as soon as they are announced', async () => {
    await person('cid');
    expect((await open('cid', 60 * KIB)).status).toBe(201);
    const second = await open('cid', 60 * KIB);
    expect([second.status, second.body.code]).toEqual([413, 'storage_quota']);
    expect((await put('cid', randomBytes(50 * KIB))).body.code).toBe('storage_quota');
    expect((await open('cid', 40 * KIB)).status).toBe(201);
  });

  it('is not overrun by artifacts that end together', async () => {
    await person('dee');
    const ids = [await model('dee'), await model('dee'), await model('dee')];
    const answers = await Promise.all(ids.map((id) => put('dee', randomBytes(45 * KIB), id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 413]);
    expect((await use('dee')).artifacts).toBe(90 * KIB);
  });

  it('takes no dataset that does not fit, and counts it for the owner of the task', async () => {
    expect((await putDataset('first', lines(40))).status).toBe(201);
    const { datasets } = await use('owner');
    expect(datasets).toBeGreaterThan(40 * KIB);
    const before = await blobs();
    const refused = await putDataset('second', lines(70));
    expect([refused.status, refused.body.code]).toEqual([413, 'storage_quota']);
    expect(await blobs()).toBe(before);
    expect((await putDataset('second', lines(40).replaceAll('good', 'bad'))).status).toBe(201);
  });

  it('is not overrun by datasets that end together', async () => {
    await taskOf('hal');
    const before = await blobs();
    const bodies = ['a', 'b', 'c'].map((letter) => lines(43).replaceAll('x'.repeat(KIB), letter.repeat(KIB)));
    const answers = await Promise.all(bodies.map((body, n) => putDataset(`set-${n}`, body, 'hal', 'hal')));
    expect(statuses(answers)).toEqual([201, 201, 413]);
    const { datasets } = await use('hal');
    expect(datasets).toBeGreaterThan(86 * KIB);
    expect(datasets).toBeLessThan(100 * KIB);
    expect(await blobs()).toBe(before + 2);
  });

  it('is not overrun by pairs of one’s own that end together', async () => {
    await taskOf('ida', { perturbations: { fairness: [], robustness: [] } });
    await putDataset('plain', lines(3), 'ida', 'ida');
    const pairs = (letter: string) =>
      Array.from({ length: 45 }, (_, n) =>
        JSON.stringify({ id: `${letter}${n}`, input_id: 'e0', text: letter.repeat(KIB), label: 'good' }),
      ).join('\n');
    const putPairs = (kind: string, letter: string) =>
      world.call('PUT', `/tasks/ida/datasets/plain/perturbations/${kind}`, {
        token: tokens['ida'],
        type: 'application/x-ndjson',
        body: pairs(letter),
      });
    const answers = await Promise.all([
      putPairs('fairness', 'a'),
      putPairs('robustness', 'b'),
      putPairs('fairness', 'c'),
    ]);
    expect(statuses(answers)).toEqual([201, 201, 413]);
    const { datasets } = await use('ida');
    expect(datasets).toBeGreaterThan(90 * KIB);
    expect(datasets).toBeLessThanOrEqual(100 * KIB);
    // without a concurrent upload
    expect((await putPairs('robustness', 'd')).body.code).toBe('storage_quota');
  });

  it('keeps nothing of what is refused once it has arrived', async () => {
    await taskOf('jon');
    const id = await model('jon');
    await put('jon', randomBytes(KIB), id);
    expect((await putDataset('one', lines(1), 'jon', 'jon')).status).toBe(201);
    const before = await blobs();

    const other = randomBytes(KIB);
    expect((await put('jon', other, id)).body.code).toBe('artifact_differs');
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': String(KIB) };
    const opened = await world.call('POST', `/models/${id}/upload`, { token: tokens['jon'], headers: tus });
    expect(opened.status).toBe(201);
    const sent = await world.call('PATCH', `/models/${id}/upload`, {
      token: tokens['jon'],
      headers: { 'tus-resumable': '1.0.0', 'upload-offset': '0' },
      type: 'application/offset+octet-stream',
      body: other,
    });
    expect(sent.body.code).toBe('artifact_differs');
    expect((await putDataset('one?use=reporting', lines(2), 'jon', 'jon')).body.code).toBe('dataset_differs');
    const atOnce = await Promise.all(
      ['scoring', 'reporting'].map((kind) =>
        putDataset(`two?use=${kind}`, lines(1).replace(/x{2,}/, kind), 'jon', 'jon'),
      ),
    );
    expect(statuses(atOnce)).toEqual([201, 409]);
    expect(await blobs()).toBe(before + 1);
  });

  it('is not passed by uploads of unknown length that come at the same time', async () => {
    await person('kim');
    const uploads = await Promise.all([1, 2, 3].map(async () => sending('kim', await model('kim'))));
    for (const { push } of uploads) push(10 * KIB);
    await Promise.all(uploads.map(({ arrived }) => arrived(10 * KIB)));
    const [first, ...others] = uploads;
    first!.push(50 * KIB);
    await first!.arrived(60 * KIB);
    for (const { push } of others) push(50 * KIB);
    for (const { end } of uploads) end();
    const answers = await Promise.all(uploads.map(({ answer }) => answer));
    expect(statuses(answers)).toEqual([204, 413, 413]);
    expect(await answers.find(({ status }) => status === 413)!.text()).toContain('storage_quota');
    expect((await use('kim')).uploads).toBeLessThanOrEqual(100 * KIB);
  });

  it('is not passed by an upload of unknown length where nothing is left of it', async () => {
    await person('lea');
    for (let n = 0; n < 2; n++) await put('lea', randomBytes(50 * KIB));
    const upload = await sending('lea', await model('lea'));
    upload.push(10 * KIB);
    upload.end();
    expect((await upload.answer).status).toBe(413);
    expect(await use('lea')).toMatchObject({ artifacts: 100 * KIB, uploads: 0 });
  });

  it('counts what is put into rounds, and takes no more of it than fits', async () => {
    const output = { name: 'label', type: 'label', labels: ['good', 'bad'] };
    const inputs = [
      { name: 'text', type: 'text' },
      { name: 'claim', type: 'text' },
    ];
    await taskOf('quin', { inputs, output, collection: { explanations: [] } });
    await person('rae');
    const card = { name: 'In the loop', kind: 'container' };
    const { id } = (await call('rae', 'POST', '/tasks/quin/models', card)).body;
    await put('rae', randomBytes(KIB), id);
    const em = world.orm.em.fork();
    const { specification } = await em.findOneOrFail(Model, id as string, { populate: ['specification.artifact'] });
    await em.nativeUpdate(Artifact, specification!.artifact.id, { state: 'admitted' });
    expect((await call('quin', 'POST', '/tasks/quin/rounds', { models: [id] })).status).toBe(201);
    const putLines = (kind: string, count: number, letter: string) =>
      world.call('PUT', `/tasks/quin/rounds/1/${kind}`, {
        token: tokens['quin'],
        type: 'application/x-ndjson',
        body: Array.from({ length: count }, (_, n) =>
          JSON.stringify({ id: `${letter}${n}`, text: letter.repeat(KIB), claim: 'so it is', label: 'good' }),
        ).join('\n'),
      });
    expect(await putLines('contexts', 30, 'a')).toMatchObject({ status: 200, body: { added: 30 } });
    expect((await use('quin')).datasets).toBeGreaterThan(30 * KIB);
    expect(await putLines('contexts', 30, 'a')).toMatchObject({ status: 200, body: { added: 0 } });
    expect(await putLines('examples', 30, 'b')).toMatchObject({ status: 200, body: { added: 30 } });
    const { datasets } = await use('quin');
    expect(datasets).toBeGreaterThan(60 * KIB);
    for (const kind of ['contexts', 'examples']) {
      const refused = await putLines(kind, 41, 'c');
      expect([refused.status, refused.body.code]).toEqual([413, 'storage_quota']);
    }
    expect(statuses(await Promise.all(['d', 'e'].map((letter) => putLines('contexts', 21, letter))))).toEqual([
      200, 413,
    ]);
    const { items } = (await call('quin', 'GET', '/me/storage/items')).body;
    expect(items).toEqual([
      { kind: 'dataset', bytes: (await use('quin')).datasets, of: [{ task: 'quin', name: 'round 1' }] },
    ]);
  });

  it('is not filled by what others give away', async () => {
    await taskOf('mia');
    await person('ned');
    const give = async () => call('mia', 'PUT', '/tasks/mia/owner', { username: 'ned' });
    expect((await putDataset('small', lines(30), 'mia', 'mia')).status).toBe(201);
    expect((await putDataset('more', lines(30).replaceAll('good', 'bad'), 'mia', 'mia')).status).toBe(201);
    const refused = await give();
    expect([refused.status, refused.body.code]).toEqual([409, 'receiver_full']);
    expect(await use('ned')).toMatchObject({ datasets: 0 });
    const { id } = await world.orm.em.fork().findOneOrFail(User, { username: 'ned' });
    await call('admin', 'PATCH', `/admin/users/${id}`, { storageLimit: '200KiB' });
    expect((await give()).status).toBe(200);
    expect((await use('ned')).datasets).toBeGreaterThan(60 * KIB);
  });

  it('is spared by models whose artifacts never come: twenty to a task', async () => {
    await person('oda');
    const submit = () => call('oda', 'POST', '/tasks/tone/models', { name: 'Waiting', kind: 'onnx' });
    const answers = await Promise.all(Array.from({ length: 22 }, submit));
    expect(statuses(answers).filter((status) => status === 201)).toHaveLength(20);
    const refused = await submit();
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_awaiting']);
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as string);
    await call('oda', 'POST', `/models/${made[0]}/cancel`);
    expect((await put('oda', randomBytes(KIB), made[1])).status).toBe(202);
    expect(statuses([await submit(), await submit(), await submit()])).toEqual([201, 201, 409]);
  });

  it('is spared by tasks and tokens without end', async () => {
    await person('pia');
    const em = world.orm.em.fork();
    const owner = await em.findOneOrFail(User, { username: 'pia' });
    const { definition } = await em.findOneOrFail(Task, { slug: 'tone' });
    for (let n = 0; n < 99; n++) em.create(Task, { slug: `many-${n}`, owner, definition });
    await em.flush();
    const made = await Promise.all(['one', 'two'].map((slug) => call('pia', 'POST', '/tasks', { ...TASK, slug })));
    expect(statuses(made)).toEqual([201, 409]);
    expect(made.map(({ body }) => body.code)).toContain('too_many_tasks');

    for (let n = 0; n < 48; n++) em.create(Credential, { user: owner, kind: 'token', name: 'old', hash: `hash-${n}` });
    await em.flush();
    const tokensMade = await Promise.all([1, 2].map(() => call('pia', 'POST', '/tokens', { name: 'new' })));
    expect(statuses(tokensMade)).toEqual([201, 409]);
    expect(tokensMade.map(({ body }) => body.code)).toContain('too_many_tokens');
  });

  it('is seen and set for each user by administrators, who have no limit', async () => {
    const { id } = await world.orm.em.fork().findOneOrFail(User, { username: 'eve' });
    const set = (storageLimit: unknown) => call('admin', 'PATCH', `/admin/users/${id}`, { storageLimit });
    expect((await call('eve', 'GET', `/admin/users/${id}/storage`)).status).toBe(403);
    expect((await set('30KiB')).body).toMatchObject({ storageLimit: 30 * KIB });
    expect((await put('eve', randomBytes(31 * KIB))).body.code).toBe('storage_quota');
    expect((await put('eve', randomBytes(30 * KIB))).status).toBe(202);
    expect((await call('admin', 'GET', `/admin/users/${id}/storage`)).body).toEqual({
      artifacts: 30 * KIB,
      datasets: 0,
      uploads: 0,
      limit: 30 * KIB,
    });
    expect((await set(null)).body).toMatchObject({ storageLimit: null });
    expect((await use('eve')).limit).toBe(100 * KIB);
    expect((await set('much')).status).toBe(422);
    expect((await use('admin')).limit).toBeNull();
    const { items } = (await call('admin', 'GET', `/admin/audit?action=account.storage&subject=${id}`)).body;
    expect(items.map(({ from, to }: { from: object; to: object }) => [from, to])).toEqual([
      [{ storageLimit: 30 * KIB }, { storageLimit: null }],
      [{ storageLimit: null }, { storageLimit: 30 * KIB }],
    ]);
  });
});
