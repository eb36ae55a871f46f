/** The callers. `stranger` owns nothing in the world of the test. */
export const ROLES = [
  'nobody',
  'stranger',
  'crowd',
  'other owner',
  'validator',
  'annotator',
  'owner',
  'administrator',
  'reader',
  'builder',
  'evaluator',
] as const;
/** `reader` is `builder` with a token of the scope `read`. `evaluator` has the token of an evaluator. */
export type Role = (typeof ROLES)[number];
/** The routes that only evaluators may use. */
export const GATEWAY = /^[A-Z]+ \/evaluator(?:\/|$)/;
/** The routes that a token with the scope `read` may use. */
const READS =
  /^(?:GET |POST \/task-checks$|POST \/tasks\/\{slug\}\/(?:preview|loop\/preview|datasets\/\{name\}\/check)$)/;

/**
 * The result of a request. `in`: the response for an allowed caller, even if it rejects the content
 * of the request. `absent`: exactly the response for an object that does not exist. `scope`: the
 * scope of the token does not suffice.
 */
export type Outcome = 'in' | 'sign in' | 'forbidden' | 'scope' | 'crowd only' | 'absent';

export interface Rule {
  /**
   * The values of the path parameters that differ from the usual ones: a key of `ids` in the spec,
   * or the value itself.
   */
  readonly of?: Readonly<Record<string, string>>;
  /** The path parameter of the hidden object. Default: `id`, or `name` if there is no `id`. */
  readonly hides?: string;
  readonly outcomes: Readonly<Record<Role, Outcome>>;
  readonly query?: string;
  /** Default: a minimal body according to the schema. */
  readonly body?: unknown;
  /** Only the last allowed role sends the request, because it changes the object. */
  readonly once?: true;
}

type More = Omit<Rule, 'outcomes'> & { readonly but?: Partial<Record<Role, Outcome>> };

export function rule(
  inside: readonly Role[],
  others: Outcome,
  nobody: Outcome,
  { but = {}, ...more }: More = {},
): Rule {
  const outcomeOf = (role: Role): Outcome => {
    if (role === 'reader') return outcomeOf('builder');
    if (but[role]) return but[role];
    if (inside.includes(role)) return 'in';
    if (role === 'crowd') return 'crowd only';
    // the token of an evaluator is valid nowhere else
    if (role === 'evaluator') return 'sign in';
    return role === 'nobody' ? nobody : others;
  };
  const outcomes = Object.fromEntries(ROLES.map((role) => [role, outcomeOf(role)])) as Record<Role, Outcome>;
  return { outcomes, ...more };
}

const USERS = ROLES.filter((role) => !['nobody', 'crowd', 'evaluator'].includes(role));
const CROWD: readonly Role[] = ['crowd'];

/**
 * Everybody may use it, because the data is public, except crowd workers, who are confined to their
 * round.
 */
export const open = (more?: More): Rule => rule(['nobody', ...USERS], 'in', 'in', more);
/** Everybody may use it, including crowd workers and evaluators: it checks no credential. */
export const wideOpen = (more?: More): Rule => rule(ROLES, 'in', 'in', more);
/** Signed-in users may use it: it is about their own objects, or about none. */
const signedIn = (more?: More): Rule => rule(USERS, 'in', 'sign in', more);
/** Users, and crowd workers through their link, may use it: it is part of collecting. */
const collecting = (more?: More): Rule => rule([...USERS, ...CROWD], 'in', 'sign in', more);
/** Only the owner of the task and administrators may use it; the task is visible to everybody. */
const ownersOnly = (more?: More): Rule => rule(['owner', 'administrator'], 'forbidden', 'sign in', more);
/** Only evaluators may use it. */
const evaluatorsOnly = (more?: More): Rule =>
  rule(['evaluator'], 'forbidden', 'sign in', { ...more, but: { crowd: 'forbidden' } });
const administratorsOnly = (more?: More): Rule => rule(['administrator'], 'forbidden', 'sign in', more);
/** For other users the object seems not to exist. Without a token, a sign-in is required. */
const hidden = (inside: readonly Role[], more?: More): Rule => rule(inside, 'absent', 'sign in', more);
/** Like `hidden`, but without a token the object seems not to exist either. */
const hiddenFromAll = (inside: readonly Role[], more?: More): Rule => rule(inside, 'absent', 'absent', more);

/** An unpublished model: its owner may change it, the owner of its task may see it. */
export const secretModel = (more?: More): Rule =>
  hidden(['builder', 'administrator'], { ...more, but: { owner: 'forbidden' } });
const secretModelSeen = (more?: More): Rule => hiddenFromAll(['builder', 'owner', 'administrator'], more);
const SECRET = { of: { id: 'secret model' } };
const shownModel = (more?: More): Rule =>
  rule(['builder', 'administrator'], 'forbidden', 'sign in', { ...more, of: { id: 'shown model' } });
/** A published model that failed before its first score. */
const FAILED = { of: { id: 'failed model' } };
const changesModel = (more?: More): readonly Rule[] => [
  secretModel({ ...SECRET, ...more }),
  secretModel({ ...FAILED, ...more }),
  shownModel(more),
];
const readsModel = (): readonly Rule[] => [
  secretModelSeen(SECRET),
  secretModelSeen(FAILED),
  open({ of: { id: 'shown model' } }),
];

const HIDDEN = { of: { name: 'hidden' }, hides: 'name' };
const OPEN = { of: { name: 'open' } };
const hiddenDataset = (): readonly Rule[] => [hiddenFromAll(['owner', 'administrator'], HIDDEN), open(OPEN)];
/** The examples of a hidden dataset, whose name is listed in its task for everybody. */
const listed = (more: More): Rule => rule(['owner', 'administrator'], 'forbidden', 'forbidden', more);
/**
 * A path that combines a task of `other owner` with an object of another task: the object is not
 * found.
 */
const elsewhere = (more: More): Rule =>
  ownersOnly({ ...more, but: { owner: 'forbidden', 'other owner': 'absent', administrator: 'absent' } });

const annotation = (inside: readonly Role[], more?: More): Rule =>
  hidden(inside, { of: { id: 'annotation' }, ...more });
const LINES = { of: { name: 'hidden' } };

/** Returns the outcome for `role` by the rule of that route. */
export const outcomeFor = (route: string, { outcomes }: Rule, role: Role): Outcome =>
  role === 'reader' && !READS.test(route) && !GATEWAY.test(route) ? 'scope' : outcomes[role];

/**
 * The rules of each operation: which roles may use it on objects of others. The test fails for an
 * operation without a rule.
 */
export const ROUTE_RULES: Readonly<Record<string, readonly Rule[]>> = {
  'GET /health/live': [open()],
  'GET /health/ready': [open()],
  'POST /auth/register': [open({ body: { username: 'stranger', email: 'x@example.org', password: 'long enough' } })],
  'POST /auth/login': [rule([], 'sign in', 'sign in')],
  'POST /auth/login-by-token': [rule([], 'sign in', 'sign in')],
  'POST /auth/logout': [signedIn()],
  'GET /auth/ways': [open()],
  // without a provider there is nothing to redirect to
  'GET /auth/provider': [hiddenFromAll([])],
  'GET /auth/provider/callback': [open()],
  'GET /auth/provider/registration': [rule([], 'sign in', 'sign in')],
  'POST /auth/provider/registration': [rule([], 'sign in', 'sign in', { body: { username: 'somebody' } })],
  'POST /me/provider': [rule([], 'forbidden', 'sign in', { body: {} })],
  'GET /me/provider': [signedIn()],
  'POST /me/provider/{id}/unlink': [
    hidden([], { of: { id: 'provider link' }, body: {}, but: { builder: 'forbidden' } }),
  ],
  'POST /me/mail-confirmation': [signedIn()],
  'POST /auth/mail-confirmation': [rule([], 'forbidden', 'forbidden', { body: { secret: 'of nobody' } })],
  'POST /me/password': [signedIn({ body: {} })],
  'GET /me': [signedIn()],
  'POST /tokens': [signedIn()],
  'GET /tokens': [signedIn()],
  'DELETE /tokens/{id}': [hidden(['builder'], { of: { id: 'token' }, once: true })],
  'GET /me/sessions': [signedIn()],
  'DELETE /me/sessions/{id}': [hidden(['builder'], { of: { id: 'session' }, once: true })],

  'GET /tasks': [open()],
  'POST /tasks': [signedIn()],
  'GET /tasks/{slug}': [open()],
  'PATCH /tasks/{slug}': [ownersOnly({ body: { description: 'Another.' } })],
  'PUT /tasks/{slug}/owner': [ownersOnly({ body: { username: 'owner' } })],
  'GET /tasks/{slug}/submitters': [ownersOnly()],
  'PUT /tasks/{slug}/submitters': [ownersOnly({ body: { usernames: null } })],
  'POST /tasks/{slug}/benchmark-versions': [ownersOnly({ query: '?preview=true' }), ownersOnly({ once: true })],
  'GET /tasks/{slug}/benchmark-versions': [open()],
  'POST /task-checks': [signedIn({ body: {} }), ownersOnly({ query: '?task=moods', body: 'definition' })],
  'GET /schemas/task': [open()],
  'GET /ready-tasks': [open()],
  'POST /tasks/{slug}/preview': [ownersOnly({ body: { description: 'Another.' } })],

  'PUT /tasks/{slug}/datasets/{name}': [ownersOnly(LINES)],
  'PATCH /tasks/{slug}/datasets/{name}': [ownersOnly({ ...LINES, body: {} })],
  'POST /tasks/{slug}/datasets/{name}/check': [ownersOnly(LINES)],
  'GET /tasks/{slug}/datasets/{name}/artefacts': hiddenDataset(),
  'GET /tasks/{slug}/datasets/{name}/shift': hiddenDataset(),
  'GET /tasks/{slug}/datasets/{name}/content': hiddenDataset(),
  'GET /tasks/{slug}/datasets/{name}/perturbations': [
    ...hiddenDataset(),
    hiddenFromAll(['owner', 'administrator'], {
      ...HIDDEN,
      of: { slug: 'other', name: 'unperturbed' },
      but: { owner: 'absent', 'other owner': 'in' },
    }),
  ],
  'GET /tasks/{slug}/datasets/{name}/perturbations/{kind}': hiddenDataset(),
  'PUT /tasks/{slug}/datasets/{name}/perturbations/{kind}': [ownersOnly(LINES)],
  'GET /tasks/{slug}/datasets/{name}/perturbations/{kind}/sample': [ownersOnly(LINES)],
  'PUT /tasks/{slug}/datasets/{name}/perturbations/{kind}/validations': [ownersOnly(LINES)],
  'GET /tasks/{slug}/datasets/{name}/versions': hiddenDataset(),
  'GET /tasks/{slug}/datasets/{name}/versions/{version}/content': hiddenDataset(),
  'GET /tasks/{slug}/datasets/{name}/versions/{version}/croissant': hiddenDataset(),

  'GET /tasks/{slug}/leaderboard': [open()],
  'GET /tasks/{slug}/leaderboard/matrix': [open()],
  'GET /tasks/{slug}/loop': [open()],
  'POST /tasks/{slug}/loop/preview': [ownersOnly()],
  'GET /tasks/{slug}/history': [open()],
  'POST /tasks/{slug}/forks': [signedIn({ body: { name: 'more', weights: { accuracy: 1 } } })],
  'GET /tasks/{slug}/forks': [open()],
  'GET /tasks/{slug}/forks/{name}': [open({ of: { name: 'kept' } })],
  'DELETE /tasks/{slug}/forks/{name}': [
    rule(['builder'], 'forbidden', 'sign in', { of: { name: 'removed' }, once: true, but: { administrator: 'in' } }),
  ],
  'POST /tasks/{slug}/snapshots': [signedIn({ body: { name: 'more' } })],
  'GET /tasks/{slug}/snapshots': [open()],
  'GET /tasks/{slug}/snapshots/{name}': [open({ of: { name: 'kept' } })],
  'GET /tasks/{slug}/numbers': [open()],
  'GET /tasks/{slug}/trend': [open()],
  'GET /tasks/{slug}/saturation': [open()],
  'GET /tasks/{slug}/plan': [open()],
  'GET /overview': [open()],
  'GET /search': [open({ query: '?q=moods' })],
  'GET /signing-key': [open()],
  'GET /tasks/{slug}/compare': [
    open({ query: '?a={shown model}&b={second model}' }),
    hiddenFromAll(['builder', 'owner', 'administrator'], {
      query: '?a={shown model}&b={hidden}',
      hides: 'secret model',
    }),
  ],
  'GET /tasks/{slug}/compare/examples': [
    open({ query: '?a={shown model}&b={second model}&dataset=open' }),
    listed({ query: '?a={shown model}&b={second model}&dataset=hidden' }),
  ],

  'POST /tasks/{slug}/models': [signedIn({ body: { name: 'Another', kind: 'container', publish: false } })],
  'GET /tasks/{slug}/models': [open()],
  'GET /tasks/{slug}/quota': [signedIn()],
  'GET /me/models': [signedIn()],
  'PUT /models/{id}/artifact': changesModel(),
  'PUT /models/{id}/supplement': changesModel(),
  'GET /models/{id}': readsModel(),
  'PATCH /models/{id}': changesModel({ body: { loop: true } }),
  'GET /models/{id}/events': readsModel(),
  'POST /models/{id}/rerun': changesModel(),
  'POST /models/{id}/cancel': changesModel(),
  'POST /models/{id}/publish': [shownModel(), secretModel({ of: { id: 'published model' }, once: true })],
  'POST /models/{id}/withdraw': [secretModel(SECRET), shownModel({ once: true })],
  'POST /models/{id}/archive': changesModel(),
  'GET /models/{id}/logs': changesModel(),
  'GET /models/{id}/datasets/{name}/examples': [
    ...readsModel().map((each) => ({ ...each, of: { ...each.of, name: 'open' } })),
    listed({ of: { id: 'shown model', name: 'hidden' } }),
  ],
  'GET /models/{id}/datasets/{name}/confusion': readsModel().map((each) => ({
    ...each,
    of: { ...each.of, name: 'open' },
  })),
  'GET /models/{id}/model-index': readsModel(),
  'GET /models/{id}/result': readsModel(),
  'POST /models/{id}/predict': [
    hidden(['builder', 'owner', 'administrator'], { ...SECRET, body: { input: { text: 'so' } } }),
    signedIn({ of: { id: 'shown model' }, body: { input: { text: 'so' } } }),
  ],

  'POST /tasks/{slug}/rounds': [ownersOnly()],
  'GET /tasks/{slug}/rounds': [open()],
  'GET /tasks/{slug}/rounds/{number}': [open()],
  'PATCH /tasks/{slug}/rounds/{number}': [ownersOnly({ body: { description: 'Another.' } })],
  'POST /tasks/{slug}/rounds/{number}/close': [ownersOnly({ of: { slug: 'closing' }, once: true })],
  'PUT /tasks/{slug}/rounds/{number}/contexts': [ownersOnly()],
  'GET /tasks/{slug}/rounds/{number}/contexts': [ownersOnly()],
  'PATCH /contexts/{id}': [hidden(['owner', 'administrator'], { of: { id: 'context' }, body: { active: true } })],
  'PUT /tasks/{slug}/rounds/{number}/examples': [ownersOnly()],
  'GET /tasks/{slug}/rounds/{number}/data/{part}': [
    hiddenFromAll(['owner', 'administrator'], { of: { part: 'test' }, hides: 'part' }),
    open({ of: { part: 'train' } }),
  ],
  'GET /tasks/{slug}/rounds/{number}/numbers': [open()],
  'GET /tasks/{slug}/rounds/{number}/costs': [ownersOnly()],
  'GET /tasks/{slug}/rounds/{number}/validators': [ownersOnly()],
  'GET /tasks/{slug}/rounds/{number}/export': [open()],
  'GET /tasks/{slug}/rounds/{number}/data-card': [open()],
  'GET /tasks/{slug}/export': [open()],

  'POST /tasks/{slug}/annotate/next': [signedIn({ of: { slug: 'other' } })],
  'POST /tasks/{slug}/rounds/{number}/annotations': [collecting({ query: '?trial=true', body: 'example' })],
  'POST /tasks/{slug}/rounds/{number}/inspect': [collecting({ body: 'example to inspect' })],
  'GET /annotations/{id}': [annotation(['annotator', 'owner', 'administrator'])],
  'PATCH /annotations/{id}': [
    annotation(['annotator'], { body: {}, but: { owner: 'forbidden', administrator: 'forbidden' } }),
  ],
  'POST /annotations/{id}/retract': [
    annotation(['annotator'], {
      of: { id: 'annotation to retract' },
      but: { owner: 'forbidden', administrator: 'forbidden' },
    }),
  ],
  'POST /annotations/{id}/inspect': [annotation(['annotator', 'owner', 'administrator'])],
  'POST /annotations/{id}/appeal': [annotation(['annotator'])],
  'POST /annotations/{id}/decide': [
    annotation(['owner', 'administrator'], {
      body: { outcome: 'rejected', reason: 'No.' },
      but: { annotator: 'forbidden' },
    }),
  ],
  'POST /annotations/{id}/validations': [
    annotation(['validator'], { body: { label: 'positive' }, but: { annotator: 'forbidden' } }),
  ],
  'PATCH /validations/{id}': [hidden(['validator'], { of: { id: 'validation' }, body: { verdict: 'correct' } })],
  'POST /tasks/{slug}/validate/next': [signedIn({ of: { slug: 'other' } })],
  'POST /contexts/{id}/skip': [hidden(['annotator'], { of: { id: 'context' } })],
  'POST /contexts/{id}/flag': [hidden(['annotator'], { of: { id: 'context' } })],
  'GET /tasks/{slug}/consent': [collecting({ but: { nobody: 'in' } })],
  'POST /tasks/{slug}/consent': [collecting({ body: {} })],
  'GET /tasks/{slug}/appeals': [ownersOnly()],
  'GET /tasks/{slug}/annotators': [open()],

  'GET /me/storage': [signedIn()],
  'GET /me/storage/items': [signedIn()],
  'GET /me/profile': [signedIn()],
  'PATCH /me/profile': [signedIn({ body: { bio: 'Me.' } })],
  'GET /users/{username}': [open({ of: { username: 'annotator' } })],
  'GET /me/badges': [signedIn()],
  'GET /me/examples': [signedIn()],
  'GET /me/notifications': [signedIn()],
  'POST /me/notifications/read': [signedIn({ body: { ids: [] } })],
  'GET /me/notification-settings': [signedIn()],
  'PATCH /me/notification-settings': [signedIn({ body: {} })],
  'GET /me/webhooks': [signedIn()],
  'POST /me/webhooks': [signedIn({ body: { url: 'https://hooks.example.org', kinds: ['round.opened'] } })],
  'PATCH /me/webhooks/{id}': [hidden(['builder'], { of: { id: 'webhook' }, body: {} })],
  'DELETE /me/webhooks/{id}': [hidden(['builder'], { of: { id: 'webhook to delete' }, once: true })],
  'POST /me/webhooks/{id}/secret': [hidden(['builder'], { of: { id: 'webhook' } })],
  'POST /me/webhooks/{id}/ping': [hidden(['builder'], { of: { id: 'webhook' } })],
  'GET /me/webhooks/{id}/deliveries': [hidden(['builder'], { of: { id: 'webhook' } })],
  'POST /me/webhooks/{id}/deliveries/{delivery}/redeliver': [
    hidden(['builder'], { of: { id: 'webhook', delivery: 'delivery' } }),
    hidden(['builder'], { of: { id: 'webhook', delivery: 'delivery' }, hides: 'delivery' }),
  ],
  'GET /me/export': [signedIn()],
  'POST /me/deletion': [signedIn({ body: { text: 'burn' } })],

  'POST /tasks/{slug}/rounds/{number}/crowd-links': [ownersOnly({ body: 'crowd link' })],
  'GET /tasks/{slug}/rounds/{number}/crowd-links': [ownersOnly()],
  'POST /tasks/{slug}/rounds/{number}/crowd-links/{id}/close': [
    ownersOnly({ of: { id: 'second crowd link' }, once: true }),
    elsewhere({ of: { slug: 'other', id: 'crowd link' } }),
  ],
  'GET /tasks/{slug}/rounds/{number}/crowd-links/{id}/sessions': [
    ownersOnly({ of: { id: 'crowd link' } }),
    elsewhere({ of: { slug: 'other', id: 'crowd link' } }),
  ],
  'GET /crowd/links/{link}': [open({ of: { link: 'signed link' } })],
  'POST /crowd/sessions': [open({ body: 'crowd session' })],
  'GET /crowd/sessions/current': [rule(CROWD, 'absent', 'sign in')],
  'POST /crowd/sessions/current/onboarding': [rule(CROWD, 'absent', 'sign in', { body: { answers: ['positive'] } })],
  'POST /crowd/sessions/current/finish': [rule(CROWD, 'absent', 'sign in', { body: {} })],

  'POST /evaluators': [
    rule(['owner', 'other owner', 'administrator'], 'forbidden', 'sign in', { body: { name: 'a-host' } }),
  ],
  'GET /evaluators': [signedIn()],
  'DELETE /evaluators/{id}': [hidden(['owner', 'administrator'], { of: { id: 'evaluator' }, once: true })],
  'GET /evaluator': [evaluatorsOnly()],
  'PUT /evaluator/presence': [evaluatorsOnly({ body: 'report' })],
  'POST /evaluator/leases': [evaluatorsOnly({ body: { protocol: 2, stage: 'admission', waitSeconds: 0 } })],
  'DELETE /evaluator/leases': [evaluatorsOnly()],
  'GET /evaluator/queue': [evaluatorsOnly()],
  'POST /evaluator/deployments/leases': [evaluatorsOnly({ body: { protocol: 2, waitSeconds: 0 } })],
  'PUT /evaluator/deployments/{deployment}/state': [evaluatorsOnly()],
  'GET /evaluator/deployments/{deployment}/artifact': [evaluatorsOnly()],
  'GET /evaluator/deployments/{deployment}/warm-up': [evaluatorsOnly()],
  'POST /evaluator/deployments/{deployment}/outcome': [evaluatorsOnly()],
  'GET /evaluator/runs/{run}/artifact': [evaluatorsOnly()],
  'POST /evaluator/runs/{run}/renewal': [evaluatorsOnly()],
  'POST /evaluator/runs/{run}/outcome': [evaluatorsOnly()],
  'GET /evaluator/runs/{run}/datasets/{dataset}/inputs': [evaluatorsOnly()],
  'GET /evaluator/runs/{run}/datasets/{dataset}/variants': [evaluatorsOnly()],
  'POST /evaluator/runs/{run}/datasets/{dataset}/stored-answers': [evaluatorsOnly()],
  'POST /evaluator/runs/{run}/datasets/{dataset}/start': [evaluatorsOnly()],
  'POST /evaluator/runs/{run}/datasets/{dataset}/progress': [evaluatorsOnly()],
  'PUT /evaluator/runs/{run}/datasets/{dataset}/answers': [evaluatorsOnly()],
  'POST /evaluator/runs/{run}/datasets/{dataset}/answers': [evaluatorsOnly()],
  'POST /evaluator/runs/{run}/datasets/{dataset}/failure': [evaluatorsOnly()],

  'GET /admin/users': [administratorsOnly()],
  'PATCH /admin/users/{id}': [administratorsOnly({ of: { id: 'user' }, body: {} })],
  'GET /admin/users/{id}/storage': [administratorsOnly({ of: { id: 'user' } })],
  'POST /admin/invitations': [administratorsOnly()],
  'GET /admin/invitations': [administratorsOnly()],
  'DELETE /admin/invitations/{id}': [administratorsOnly({ of: { id: 'invitation' }, once: true })],
  'GET /admin/queues': [administratorsOnly()],
  'GET /admin/evaluators': [administratorsOnly()],
  'GET /admin/sandboxes': [administratorsOnly()],
  'GET /admin/storage': [administratorsOnly()],
  'GET /admin/audit': [administratorsOnly()],
};
