import { Annotation, Assignment } from '@assay/collection/annotating';
import { filledPath } from '../../factories/worlds/api-operations.js';
import { annotationFactory } from '../../factories/collection/annotations.js';
import { ServedModels } from '../../factories/models/served-models.js';
import type { Role } from './route-rules.js';
import { type RouteWorld, routeWorld } from './route-world.js';

/**
 * A world for any number of requests, with a target model that answers. Whatever a request has
 * ended or removed is created again.
 */
export interface FuzzWorld extends RouteWorld {
  /** Session cookies by role. */
  readonly cookies: Partial<Record<Role, string>>;
  /**
   * The ID of a model of `builder` that waits for its artifact, and that no malformed request
   * names.
   */
  readonly uploading: string;
  /** The account that is deleted next. */
  readonly leaver: { readonly token: string; readonly password: string };
  /** Restores what the operation has removed. Call it after every successful operation. */
  renew(route: string): Promise<void>;
}

const SIGNED_IN = ['owner', 'builder', 'annotator', 'validator'] as const;
const HOOK = { url: 'https://hooks.example.org/assay', kinds: ['model.finished'] };

export async function fuzzWorld(): Promise<FuzzWorld> {
  const all = await routeWorld({ ASSAY_ADDRESS_REQUESTS_PER_MINUTE: '1000000' });
  const { world, ids, as, tokens, bodies } = all;
  const cookies: Partial<Record<Role, string>> = {};
  const { written, round } = await annotationFactory(world.orm, 'moods');
  const served = new ServedModels(world);
  await served.add(round, ids['shown model']!, 'negative');
  await world.orm.em.fork().nativeUpdate(Annotation, ids['annotation']!, { target: ids['shown model']! });
  const card = { name: 'uploading', kind: 'container', publish: false };
  const uploading = (await as('builder', 'POST', '/tasks/moods/models', card)).body.id as string;
  let count = 0;
  let leaver = await leaving();
  await signIn();

  async function leaving(): Promise<FuzzWorld['leaver']> {
    const name = `leaver-${++count}`;
    return { token: await world.user(name), password: `${name}-has-a-password` };
  }

  async function cookieOf(name: Role): Promise<string> {
    const body = { email: `${name}@example.org`, password: `${name}-has-a-password` };
    return (await world.call('POST', '/auth/login', { body })).headers.get('set-cookie')!.split(';')[0]!;
  }

  async function signIn(): Promise<void> {
    for (const name of SIGNED_IN) cookies[name] = await cookieOf(name);
  }

  const again = (name: string, role: Role, path: string, body?: object) => async (): Promise<void> => {
    ids[name] = (await as(role, 'POST', path, body)).body.id as string;
  };

  /** The restoring functions, by the operation after which they are needed. */
  const RENEWALS: Readonly<Record<string, () => Promise<unknown>>> = {
    'POST /auth/logout': signIn,
    'DELETE /tokens/{id}': again('token', 'builder', '/tokens', { name: 'second' }),
    'DELETE /me/sessions/{id}': async () => {
      await cookieOf('builder');
      ids['session'] = (await as('builder', 'GET', '/me/sessions')).body.items[0].id as string;
      await signIn();
    },
    'DELETE /admin/invitations/{id}': again('invitation', 'administrator', '/admin/invitations'),
    'DELETE /evaluators/{id}': again('evaluator', 'owner', '/evaluators', { name: 'of-owner' }),
    'DELETE /me/webhooks/{id}': again('webhook to delete', 'builder', '/me/webhooks', HOOK),
    'PUT /tasks/{slug}/owner': () => as('administrator', 'PUT', '/tasks/moods/owner', { username: 'owner' }),
    'PUT /tasks/{slug}/submitters': () => as('owner', 'PUT', '/tasks/moods/submitters', { usernames: null }),
    'DELETE /tasks/{slug}/forks/{name}': () =>
      as('builder', 'POST', '/tasks/moods/forks', { name: 'removed', weights: { accuracy: 2 } }),
    'POST /annotations/{id}/retract': async () => {
      const labels = { label: ['positive'], authorLabel: ['positive'], input: { text: 'Fine.' } };
      ids['annotation to retract'] = (await written({ by: 'annotator', ...labels })).id;
    },
    'POST /contexts/{id}/skip': () =>
      world.orm.em.fork().nativeUpdate(Assignment, { context: ids['context']! }, { state: 'open' }),
    'POST /tasks/{slug}/rounds/{number}/crowd-links/{id}/close': again(
      'second crowd link',
      'owner',
      '/tasks/moods/rounds/1/crowd-links',
      bodies['crowd link'] as object,
    ),
    'POST /crowd/sessions/current/finish': async () => {
      const body = { ...(bodies['crowd session'] as object), assignmentId: `B${++count}`, workerId: `V${count}` };
      tokens.crowd = (await world.call('POST', '/crowd/sessions', { body })).body.token as string;
    },
    'POST /me/deletion': async () => {
      leaver = await leaving();
    },
  };

  return {
    ...all,
    cookies,
    uploading,
    get leaver() {
      return leaver;
    },
    async renew(route) {
      await RENEWALS[route]?.();
    },
    async close() {
      await all.close();
      await served.close();
    },
  };
}

/**
 * Returns URLs of uploads, in both forms: those of a model that waits for its artifact, and that of
 * a model that has one.
 */
export async function uploadAddresses({ world, uploading, ids, tokens }: FuzzWorld): Promise<readonly string[]> {
  const own = filledPath('/models/{id}/upload', { id: uploading });
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '9' };
  const { headers: sent } = await world.call('POST', own, { token: tokens.builder, headers });
  const upload = sent.get('location')!.split('/').at(-1)!;
  return [own, own, `${own}/${upload}`, `${own}/none`, filledPath('/models/{id}/upload', { id: ids['secret model']! })];
}
