import { Context } from '@assay/collection/rounds';
import type { Assignment } from '@assay/contracts/gateway';
import { WorkerPresenceRepository } from '@assay/evaluation';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Promotion } from '@assay/leaderboard/promotions';
import { WebhookDelivery } from '@assay/notifications/webhooks';
import { Deployment } from '@assay/serving';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import type { ApiRequest } from '../../factories/worlds/api-call.js';
import type { Operation } from '../../factories/worlds/api-operations.js';
import type { HostileRequest } from '../../factories/hostile/hostile-requests.js';
import type { FuzzWorld } from './fuzz-world.js';
import { requestOf } from './route-requests.js';
import { outcomeFor, ROLES, type Role, ROUTE_RULES, type Rule } from './route-rules.js';
import { LINES, LINK, REPORT, TASK } from './route-world.js';
import { incompletePredictions } from '../../factories/models/incomplete-predictions.js';

const OF_PROVIDER = 'needs an OpenID provider: provider-sign-in.spec.ts has one';
const OF_MAIL = 'needs a service that sends mail: notifications.spec.ts has one';
/** Operations that cannot succeed in this world, with the reason. */
export const NEVER_DONE: Readonly<Record<string, string>> = {
  'GET /auth/provider': OF_PROVIDER,
  'GET /auth/provider/registration': OF_PROVIDER,
  'POST /auth/provider/registration': OF_PROVIDER,
  'POST /me/provider': OF_PROVIDER,
  'POST /me/mail-confirmation': OF_MAIL,
  'POST /auth/mail-confirmation': OF_MAIL,
};

/** The routes about a run that an evaluator holds. */
const RUN_ROUTES = Object.keys(ROUTE_RULES).filter((route) => route.includes('/evaluator/runs/'));
/** The routes about a deployment that an evaluator holds. */
const DEPLOYMENT_ROUTES = Object.keys(ROUTE_RULES).filter((route) => route.includes('/evaluator/deployments/{'));
const DEPLOYMENT_BODIES: Readonly<Record<string, object>> = {
  'PUT /evaluator/deployments/{deployment}/state': { state: 'ready' },
  'POST /evaluator/deployments/{deployment}/outcome': { kind: 'released' },
};
const DATASET = '/evaluator/runs/{run}/datasets/{dataset}';
const RUN_BODIES: Readonly<Record<string, object | string>> = {
  [`POST ${DATASET}/stored-answers`]: { places: [0] },
  [`POST ${DATASET}/progress`]: { done: 1, examplesPerSecond: 1 },
  [`PUT ${DATASET}/answers`]: '"positive"\n',
  [`POST ${DATASET}/failure`]: { failure: { code: 'model_exited', message: 'It ended.' } },
  'POST /evaluator/runs/{run}/outcome': { kind: 'abandoned' },
};

/** The parameters of the query besides the fence. */
const RUN_QUERIES: Readonly<Record<string, string>> = {
  [`GET ${DATASET}/variants`]: '&count=10',
  [`PUT ${DATASET}/answers`]: '&offset=0',
};

/** The changes that turn the request of a rule into one that succeeds. */
interface Right extends Pick<Rule, 'of' | 'query'> {
  /** Default: the first role that is allowed. */
  readonly by?: Role;
  readonly token?: string;
  /** Default: the body of the rule. A string is sent as JSON Lines. */
  readonly body?: object | string;
}

/** A successful request for each operation. Each works once, in the order of the document. */
export class RightRequests {
  constructor(private readonly all: FuzzWorld) {}

  async of(operation: Operation): Promise<HostileRequest> {
    const { route, method } = operation;
    const right = (await this.rights[route]?.()) ?? {};
    const rules = ROUTE_RULES[route]!;
    const may = (rule: Rule) => ROLES.find((role) => outcomeFor(route, rule, role) === 'in');
    const rule = rules.find(may) ?? rules[0]!;
    const { path, request } = requestOf(this.all, operation, { ...rule, ...right }, 'it');
    const token = right.token ?? this.all.tokens[right.by ?? may(rule) ?? 'nobody'];
    const { headers, body } = sent(typeof right.body === 'string' ? lines(right.body) : request);
    return { method, path, headers: { ...headers, ...bearer(token) }, ...(body !== undefined && { body }) };
  }

  private readonly rights: Readonly<Record<string, () => Right | Promise<Right>>> = {
    'GET /health/ready': async () => {
      await this.present();
      await new WorkerPresenceRepository(this.all.world.orm.em.fork()).recordStart('a worker');
      return {};
    },
    'POST /auth/register': () => ({
      body: { username: 'newcomer', email: 'newcomer@example.org', password: 'newcomer-has-a-password' },
    }),
    'POST /auth/login': () => ({ body: { email: 'builder@example.org', password: PASSWORD } }),
    'POST /auth/login-by-token': () => ({ body: { token: this.all.tokens.builder! } }),
    'POST /me/password': async () => ({
      token: await this.all.world.user('changer'),
      body: { password: 'changer-has-a-password', newPassword: 'changer-has-another' },
    }),
    'POST /me/provider/{id}/unlink': () => ({ by: 'builder', body: { password: PASSWORD } }),

    'POST /tasks': () => ({ body: { ...TASK, slug: 'newer' } }),
    'POST /tasks/{slug}/benchmark-versions': async () => {
      // the benchmark has ranked models, so a new dataset is only proposed
      await this.put('owner', '/tasks/moods/datasets/proposed?visibility=public', LINES);
      return { query: '' };
    },
    'PUT /tasks/{slug}/datasets/{name}': () => ({ of: { name: 'right' }, query: '?visibility=public', body: LINES }),
    'PUT /tasks/{slug}/datasets/{name}/perturbations/{kind}': () => ({
      of: { name: 'open' },
      body: JSON.stringify({ id: 'p0', input_id: 'e0', text: 'that is text 0 of them all', label: 'positive' }),
    }),

    'GET /tasks/{slug}/datasets/{name}/shift': () => ({ of: { name: 'hidden' }, query: '?from=open' }),

    'PUT /models/{id}/artifact': () => ({ of: { id: 'awaited model' }, body: 'an artifact' }),
    'PUT /models/{id}/supplement': async () => {
      const given = { slug: 'moods', token: this.all.tokens.builder! };
      return { of: { id: await incompletePredictions(this.all.world, given) }, body: 'more predictions' };
    },
    'POST /models/{id}/rerun': async () => {
      const em = this.all.world.orm.em.fork();
      const { specification } = await em.findOneOrFail(Model, this.all.ids['published model']!);
      await em.nativeUpdate(Evaluation, { specification: specification!.id }, { state: 'failed' });
      return { of: { id: 'published model' } };
    },
    'POST /models/{id}/cancel': async () => ({ of: { id: await this.submitted('cancelled') } }),
    'POST /models/{id}/archive': async () => {
      const id = await this.submitted('archived');
      await this.all.as('builder', 'POST', `/models/${id}/cancel`);
      return { of: { id } };
    },
    'POST /models/{id}/predict': () => ({ by: 'stranger', of: { id: 'shown model' } }),

    'POST /tasks/{slug}/rounds': async () => {
      await this.all.as('owner', 'POST', '/tasks', { ...TASK, slug: 'opening' });
      const card = { name: 'Promoted', kind: 'container' };
      const { body } = await this.all.as('owner', 'POST', '/tasks/opening/models', card);
      const em = this.all.world.orm.em.fork();
      const task = await em.findOneOrFail(Task, { slug: 'opening' });
      const evidence = { revision: 1, rank: 1, dynascore: 50, values: {}, rule: 'the best' };
      em.create(Promotion, { task, model: body.id as string, evidence, since: new Date(), until: null });
      await em.flush();
      return { of: { slug: 'opening' } };
    },
    'GET /tasks/{slug}/rounds/{number}/data-card': async () => {
      const em = this.all.world.orm.em.fork();
      await em.nativeUpdate(Round, { task: { slug: 'closing' } }, { state: 'closed', closedAt: new Date() });
      return { of: { slug: 'closing' } };
    },
    'POST /tasks/{slug}/annotate/next': async () => {
      const em = this.all.world.orm.em.fork();
      const round = await em.findOneOrFail(Round, { task: { slug: 'moods' } });
      em.create(Context, { round, externalId: 'for-a-stranger', content: {} });
      await em.flush();
      return { of: { slug: 'moods' } };
    },
    'POST /tasks/{slug}/rounds/{number}/annotations': () => ({ by: 'annotator', query: '' }),
    'POST /annotations/{id}/validations': async () => ({ by: 'stranger', of: { id: await this.handed() } }),
    'POST /tasks/{slug}/validate/next': () => ({ by: 'stranger', of: { slug: 'moods' } }),

    'POST /me/notifications/read': () => ({ body: { all: true } }),
    'PATCH /me/notification-settings': () => ({ body: { kinds: {} } }),
    'POST /me/webhooks/{id}/deliveries/{delivery}/redeliver': async () => {
      const delivery = this.all.ids['delivery']!;
      await this.all.world.orm.em.fork().nativeUpdate(WebhookDelivery, delivery, { state: 'delivered' });
      return {};
    },
    'POST /me/deletion': () => ({
      token: this.all.leaver.token,
      body: { text: 'keep', password: this.all.leaver.password },
    }),
    'POST /crowd/sessions/current/onboarding': async () => {
      const questions = [{ input: { text: 'Lovely.' }, label: 'positive' }];
      const path = '/tasks/moods/rounds/1/crowd-links';
      const { body } = await this.all.as('owner', 'POST', path, { ...LINK, onboarding: { questions } });
      const link = (body.url as string).split('/').at(-1)!;
      const worker = { ...(this.all.bodies['crowd session'] as object), assignmentId: 'A3', workerId: 'W3', link };
      const session = await this.all.world.call('POST', '/crowd/sessions', { body: worker });
      return { token: session.body.token as string };
    },
    'POST /crowd/sessions/current/finish': () => ({ body: { early: true } }),

    'POST /evaluator/leases': async () => {
      await this.present();
      return {};
    },
    'POST /evaluator/deployments/leases': async () => {
      await this.present();
      return {};
    },
    ...Object.fromEntries(DEPLOYMENT_ROUTES.map((route) => [route, () => this.aboutDeployment(route)])),
    ...Object.fromEntries(RUN_ROUTES.map((route) => [route, () => this.aboutRun(route)])),
  };

  /** Reports the host of the evaluator. */
  private async present(): Promise<void> {
    await this.all.as('evaluator', 'PUT', '/evaluator/presence', REPORT);
  }

  /** Leases a run of a new model, and returns the right request about it. */
  private async aboutRun(route: string): Promise<Right> {
    await this.present();
    await this.submitted(`for ${route}`);
    const { datasets, ...held } = await this.evaluating();
    const more = RUN_QUERIES[route] ?? '';
    const of = { run: held.run, dataset: datasets[0]!.id };
    const path = `/evaluator/runs/${held.run}/datasets/${of.dataset}/answers?fence=${held.fence}`;
    if (route.startsWith('POST') && route.endsWith('/answers')) {
      const answers = '"positive"\n'.repeat(datasets[0]!.examples);
      await this.put('evaluator', `${path}&offset=0`, answers);
      const body = { size: answers.length, measures: null, seen: [], timed: [] };
      return { of, query: `?fence=${held.fence}`, body };
    }
    const body = RUN_BODIES[route];
    return { of, query: `?fence=${held.fence}${more}`, ...(body !== undefined && { body }) };
  }

  /** Deploys a model, and returns the right request about the deployment. */
  private async aboutDeployment(route: string): Promise<Right> {
    const em = this.all.world.orm.em.fork();
    const model = await em.findOneOrFail(Model, { specification: { artifact: { image: { $ne: null } } } });
    await em.nativeDelete(Deployment, { model });
    const deployment = em.create(Deployment, {
      ...{ task: model.task, model, specification: model.specification!, state: 'starting', fence: 1 },
      ...{ evaluator: 'remote/of-all', leaseUntil: new Date('2099-01-01') },
    });
    await em.flush();
    const body = DEPLOYMENT_BODIES[route];
    return { of: { deployment: deployment.id }, query: '?fence=1', ...(body && { body }) };
  }

  /** Admits models until the evaluation of one can be leased. Some have all their scores already. */
  private async evaluating(): Promise<Assignment> {
    for (;;) {
      const held = await this.leased('evaluation');
      if (held) return held;
      const { run, fence } = (await this.leased('admission'))!;
      const image = { kind: 'admitted', port: 8080, protocol: null, unpackedBytes: 1, unreadable: [] };
      await this.all.as('evaluator', 'POST', `/evaluator/runs/${run}/outcome?fence=${fence}`, image);
    }
  }

  private async leased(stage: string): Promise<Assignment | undefined> {
    const asked = { protocol: 2, stage, waitSeconds: 0 };
    const { body } = await this.all.as('evaluator', 'POST', '/evaluator/leases', asked);
    return (body.run as { assignment: Assignment } | null)?.assignment;
  }

  /**
   * Creates a model of `builder` that waits for its evaluation.
   * @returns The model's ID.
   */
  private async submitted(name: string): Promise<string> {
    const card = { name, kind: 'container', publish: false };
    const id = (await this.all.as('builder', 'POST', '/tasks/moods/models', card)).body.id as string;
    await this.put('builder', `/models/${id}/artifact`, name);
    return id;
  }

  /**
   * Assigns an annotation to `stranger` for validation.
   * @returns The annotation's ID.
   */
  private async handed(): Promise<string> {
    return (await this.all.as('stranger', 'POST', '/tasks/moods/validate/next')).body.id as string;
  }

  private async put(role: Role, path: string, body: string): Promise<void> {
    const request = { token: this.all.tokens[role], type: 'application/x-ndjson', body };
    const { status, body: said } = await this.all.world.call('PUT', path, request);
    if (status >= 300) throw new Error(JSON.stringify(said));
  }
}

const PASSWORD = 'builder-has-a-password';
const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });
const lines = (body: string): ApiRequest => ({ type: 'application/x-ndjson', body });

function sent({ body, type = 'application/json' }: ApiRequest): Pick<HostileRequest, 'headers' | 'body'> {
  if (body === undefined) return { headers: {} };
  return { headers: { 'content-type': type }, body: typeof body === 'string' ? body : JSON.stringify(body) };
}
