import { createHash } from 'node:crypto';
import type { RegistrationMode } from '@assay/contracts/identity';
import { User } from '@assay/identity';
import { Invitation } from '@assay/identity/invitations';
import { AuditEntry } from '@assay/identity/audit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
};

describe('registration', () => {
  let world: ApiWorld;
  let count = 0;

  beforeAll(async () => {
    world = await apiWorld({ SMTP_URL: 'smtp://127.0.0.1:1', ASSAY_SIGN_INS_PER_MINUTE: '10000' });
  });
  afterAll(() => world.close());

  const mode = (registration: RegistrationMode) => world.restart({ ASSAY_REGISTRATION: registration });
  const ways = async () => (await world.call('GET', '/auth/ways')).body;

  function register(invitation?: string, name = `person-${++count}`) {
    const body = { username: name, email: `${name}@example.org`, password: `${name}-has-a-password` };
    return world.call('POST', '/auth/register', { body: { ...body, ...(invitation && { invitation }) } });
  }
  async function invite(): Promise<{ id: string; secret: string }> {
    const { status, body } = await world.call('POST', '/admin/invitations', { token: world.admin });
    expect(status).toBe(201);
    const { id, url } = body as { id: string; url: string };
    const [page, secret] = url.split('#');
    expect(page).toBe(`http://localhost:${new URL(world.url).port}/register`);
    return { id, secret: secret! };
  }
  const invitations = async () =>
    (await world.call('GET', '/admin/invitations', { token: world.admin })).body.items as {
      readonly id: string;
      readonly usedBy: string | null;
    }[];
  const withdraw = (id: string) => world.call('DELETE', `/admin/invitations/${id}`, { token: world.admin });
  const createTask = (token: string) =>
    world.call('POST', '/tasks', { token, body: { ...TASK, slug: `tone-${++count}` } });

  it('is open to everyone by default', async () => {
    expect(await ways()).toEqual({ provider: null, registration: 'open' });
    expect((await register()).status).toBe(201);
  });

  describe('by mail', () => {
    beforeAll(() => mode('mail'));

    it('gives an account that only reads and manages itself until its address is confirmed', async () => {
      expect(await ways()).toMatchObject({ registration: 'mail' });
      const token = await world.register('reader');
      expect((await world.call('GET', '/tasks', { token })).status).toBe(200);
      expect((await world.call('POST', '/task-checks', { token, body: {} })).status).toBe(200);
      expect((await world.call('PATCH', '/me/profile', { token, body: { bio: 'New.' } })).status).toBe(200);

      const refused = await createTask(token);
      expect([refused.status, refused.body.code]).toEqual([403, 'mail_unconfirmed']);
      expect(refused.body.detail).toContain('Open the link that was mailed to you');

      await world.orm.em.fork().nativeUpdate(User, { username: 'reader' }, { emailVerifiedAt: new Date() });
      expect((await createTask(token)).status).toBe(201);
    });

    it('does not restrict administrators, and accounts that were registered with an invitation', async () => {
      expect((await createTask(world.admin)).status).toBe(201);
      const { headers } = await register((await invite()).secret);
      const cookie = headers.get('set-cookie')!.split(';')[0]!;
      const { token } = (await world.call('POST', '/tokens', { body: { name: 'tests' }, headers: { cookie } })).body;
      expect((await createTask(token as string)).status).toBe(201);
    });
  });

  describe('by invitation', () => {
    beforeAll(() => mode('invitation'));

    it('needs an invitation', async () => {
      expect(await ways()).toMatchObject({ registration: 'invitation' });
      const without = await register();
      expect([without.status, without.body.code]).toEqual([403, 'invitation_needed']);
      const invented = await register('invented');
      expect([invented.status, invented.body.code]).toEqual([403, 'invitation_ended']);
    });

    it('is possible once with each invitation, of which only a hash is stored', async () => {
      const { id, secret } = await invite();
      const { hash } = await world.orm.em.fork().findOneOrFail(Invitation, id);
      expect(hash).toBe(createHash('sha256').update(secret).digest('hex'));

      const answers = await Promise.all([register(secret), register(secret)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
      expect((await register(secret)).body.code).toBe('invitation_ended');
      const { username } = answers.find(({ status }) => status === 201)!.body as { username: string };
      expect((await invitations()).find((each) => each.id === id)).toMatchObject({ usedBy: username });
      expect((await withdraw(id)).body.code).toBe('invitation_used');
    });

    it('leaves an invitation for another attempt if the name is taken', async () => {
      const { secret } = await invite();
      await register((await invite()).secret, 'taken');
      expect((await register(secret, 'taken')).body.code).toBe('account_taken');
      expect((await register(secret)).status).toBe(201);
    });

    it('is not possible with an invitation that was withdrawn or has ended', async () => {
      const [withdrawn, ended] = [await invite(), await invite()];
      expect((await withdraw(withdrawn.id)).status).toBe(204);
      expect((await withdraw(withdrawn.id)).status).toBe(404);
      const { endsAt } = await world.orm.em.fork().findOneOrFail(Invitation, ended.id);
      expect((endsAt.getTime() - Date.now()) / 86_400_000).toBeCloseTo(14, 2);
      await world.orm.em.fork().nativeUpdate(Invitation, ended.id, { endsAt: new Date() });

      const codes = [await register(withdrawn.secret), await register(ended.secret)].map(({ body }) => body.code);
      expect(codes).toEqual(['invitation_ended', 'invitation_ended']);
      const listed = (await invitations()).map(({ id }) => id);
      expect([withdrawn.id, ended.id].filter((id) => listed.includes(id))).toEqual([]);
    });

    it('is in the audit log', async () => {
      const [used, withdrawn] = [await invite(), await invite()];
      const { body } = await register(used.secret);
      await withdraw(withdrawn.id);
      const entries = await world.orm.em
        .fork()
        .find(AuditEntry, { subjectId: { $in: [used.id, withdrawn.id] } }, { orderBy: { id: 'asc' } });
      expect(entries.map(({ action }) => action)).toEqual([
        'invitation.made',
        'invitation.made',
        'invitation.used',
        'invitation.withdrawn',
      ]);
      expect(entries[2]!.actor).toBe(body.id);
    });
  });

  it('is refused to everyone where it is closed', async () => {
    const { secret } = await invite();
    await mode('closed');
    expect(await ways()).toMatchObject({ registration: 'closed' });
    const answers = [await register(), await register(secret)];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'registration_closed'],
      [403, 'registration_closed'],
    ]);
    expect((await createTask(world.admin)).status).toBe(201);
  });
});
