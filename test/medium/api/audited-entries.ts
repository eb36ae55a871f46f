import type { AuditAction } from '@assay/contracts/operations';
import { expect } from '@jest/globals';

const ID: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
const DIGEST: unknown = expect.stringMatching(/^[0-9a-f]{64}$/);
const TIME: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const MINE = { weighing: { amrs: 'official', weights: { accuracy: 2 }, datasets: {} } };
const HOOK = { kinds: ['round.opened'], origin: 'https://hooks.example.org', enabled: true };
const variants = (validated: number) => [{ kept: 0, name: 'case', version: 1, variants: 10, validated }];
const PUT_BEFORE = { digest: null, status: null, version: null, examples: null };

/**
 * The entry that each operation of audited-operations.spec.ts writes to the audit log: its action,
 * and the values before and after. Null means no value.
 */
export const ENTRIES: Readonly<Record<string, readonly [action: AuditAction, from: unknown, to: unknown]>> = {
  'POST /tokens': ['token.made', null, { scope: 'all', account: ID, expiresAt: TIME, parent: ID }],
  'DELETE /tokens/{id}': ['token.revoked', null, { account: ID }],
  'POST /tasks': [
    'task.created',
    null,
    expect.objectContaining({ slug: 'another', name: 'Moods', performance: 'accuracy', weights: { accuracy: 1 } }),
  ],
  'PATCH /tasks/{slug}': [
    'benchmark.activated',
    { retired: [], weights: { accuracy: 1 } },
    { activated: [], weights: { accuracy: 3 } },
  ],
  'PUT /tasks/{slug}/owner': ['task.given', { owner: ID }, { owner: ID }],
  'PUT /tasks/{slug}/datasets/{name}': [
    'dataset.put',
    PUT_BEFORE,
    { digest: DIGEST, status: 'proposed', version: 2, examples: 14 },
  ],
  'POST /tasks/{slug}/benchmark-versions': [
    'benchmark.activated',
    { retired: ['open v1', 'open~robustness v1'] },
    { activated: ['open v2', 'open~robustness v2'] },
  ],
  'PATCH /tasks/{slug}/datasets/{name}': [
    'dataset.changed',
    { publicSince: TIME },
    { publicSince: '2020-01-01T00:00:00.000Z' },
  ],
  'PUT /tasks/{slug}/datasets/{name}/perturbations/{kind}/validations': [
    'dataset.changed',
    { transforms: variants(0) },
    { transforms: variants(1) },
  ],
  'PUT /tasks/{slug}/datasets/{name}/perturbations/{kind}': [
    'dataset.put',
    null,
    { digest: DIGEST, version: 3, examples: 1 },
  ],
  'POST /tasks/{slug}/forks': ['fork.made', null, MINE],
  'DELETE /tasks/{slug}/forks/{name}': ['fork.removed', MINE, null],
  'POST /tasks/{slug}/snapshots': [
    'snapshot.made',
    null,
    { revision: 1, weighing: { amrs: 'official', weights: {}, datasets: {} } },
  ],
  'POST /tasks/{slug}/models': ['model.submitted', null, { kind: 'container', published: false }],
  'PUT /models/{id}/artifact': ['model.artifact', null, { bytes: 42, artifact: DIGEST }],
  'PUT /models/{id}/supplement': ['model.supplemented', null, { bytes: 16, artifact: DIGEST }],
  'PATCH /models/{id}': ['model.loop', { loop: true }, { loop: false }],
  'POST /models/{id}/publish': ['model.published', { published: false }, { published: true }],
  'POST /models/{id}/withdraw': ['model.withdrawn', { withdrawn: false }, { withdrawn: true }],
  'POST /models/{id}/cancel': ['model.cancelled', { state: 'admitting' }, { state: 'cancelled' }],
  'POST /models/{id}/rerun': ['model.rerun', { state: 'cancelled' }, { measures: false }],
  'POST /models/{id}/archive': ['model.archived', { archived: false }, { archived: true }],
  'PATCH /tasks/{slug}/rounds/{number}': ['round.changed', { description: '' }, { description: 'One' }],
  'PUT /tasks/{slug}/rounds/{number}/contexts': ['round.contexts', null, { added: 1, total: 1 }],
  'PATCH /contexts/{id}': ['context.changed', { active: true }, { active: false }],
  'PUT /tasks/{slug}/rounds/{number}/examples': ['round.examples', null, { kind: 'example', added: 1, total: 1 }],
  'POST /annotations/{id}/decide': [
    'annotation.decided',
    { outcome: 'pending' },
    { outcome: 'rejected', relabelled: false },
  ],
  'POST /annotations/{id}/retract': ['annotation.retracted', { retracted: false }, { retracted: true }],
  'POST /tasks/{slug}/rounds/{number}/crowd-links': [
    'crowd_link.made',
    null,
    {
      pay: { amount: 2, minutes: 10, currency: 'USD' },
      examples: 1,
      platform: 'mturk',
      expiresAt: '2099-01-01T00:00:00.000Z',
    },
  ],
  'POST /tasks/{slug}/rounds/{number}/crowd-links/{id}/close': [
    'crowd_link.closed',
    { closed: false },
    { closed: true },
  ],
  'POST /tasks/{slug}/rounds': ['round.opened', null, { turn: {}, models: [ID] }],
  'POST /tasks/{slug}/rounds/{number}/close': [
    'round.closed',
    { state: 'open' },
    { state: 'closing', pending: 'leave' },
  ],
  'POST /me/provider/{id}/unlink': ['account.unlinked', { issuer: 'https://provider.example' }, null],
  'POST /me/webhooks': ['webhook.made', null, HOOK],
  'PATCH /me/webhooks/{id}': ['webhook.changed', { kinds: ['round.opened'] }, { kinds: ['round.closed'] }],
  'POST /me/webhooks/{id}/secret': ['webhook.secret_renewed', null, { bothCountUntil: TIME }],
  'DELETE /me/webhooks/{id}': ['webhook.deleted', HOOK, null],
  'POST /evaluators': ['evaluator.registered', null, { owner: ID }],
  'DELETE /evaluators/{id}': ['evaluator.removed', { owner: ID }, null],
  'PUT /tasks/{slug}/submitters': ['task.submitters', { submitters: null }, { submitters: [ID] }],
  'POST /admin/invitations': ['invitation.made', null, { endsAt: TIME }],
  'DELETE /admin/invitations/{id}': ['invitation.withdrawn', null, null],
  'PATCH /admin/users/{id}': ['account.role', { role: 'user' }, { role: 'administrator' }],
  // a password is never written down, neither the old one nor the new one
  'POST /me/password': ['account.password', null, null],
  'POST /me/deletion': ['account.deleted', null, { text: 'keep' }],
};
