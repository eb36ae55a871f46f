const NOTHING = 'It changes nothing: it says what would be.';
const OWN_ACCOUNT = 'It makes an account with the rights that everybody has.';
const OWN_SESSION = 'A session is the holder’s own, and nothing that others rely on.';
const RUN = 'The run itself says which evaluator holds it, and what became of it.';
const ITSELF = 'What is made of it is a record itself: who, when, and what, each in a row of its own.';
const OWN_SETTINGS = 'It is about nobody but who asks.';

/**
 * Operations other than GET that leave no entry in the audit log, each with the reason.
 * audited-operations.spec.ts expects an entry of all others.
 */
export const UNAUDITED: Readonly<Record<string, string>> = {
  'POST /auth/register': OWN_ACCOUNT,
  'POST /auth/provider/registration': OWN_ACCOUNT,
  'POST /crowd/sessions': OWN_ACCOUNT,
  'POST /me/mail-confirmation': OWN_SETTINGS,
  'POST /auth/mail-confirmation': OWN_SETTINGS,
  'POST /auth/login': OWN_SESSION,
  'POST /auth/login-by-token': OWN_SESSION,
  'POST /auth/logout': OWN_SESSION,
  'DELETE /me/sessions/{id}': OWN_SESSION,
  'POST /me/provider': 'It begins what is audited when the provider has sent the browser back (account.linked).',
  'POST /task-checks': NOTHING,
  'POST /tasks/{slug}/datasets/{name}/check': NOTHING,
  'POST /tasks/{slug}/preview': NOTHING,
  'POST /tasks/{slug}/loop/preview': NOTHING,
  'POST /tasks/{slug}/rounds/{number}/inspect': NOTHING,
  'POST /annotations/{id}/inspect': NOTHING,
  'POST /models/{id}/predict': NOTHING,
  'POST /tasks/{slug}/annotate/next': ITSELF,
  'POST /tasks/{slug}/rounds/{number}/annotations': ITSELF,
  'PATCH /annotations/{id}':
    'The writer’s own words about an example of theirs; what becomes of it is decided by others.',
  'POST /annotations/{id}/appeal': ITSELF,
  'POST /annotations/{id}/validations': ITSELF,
  'PATCH /validations/{id}': ITSELF,
  'POST /tasks/{slug}/validate/next': ITSELF,
  'POST /contexts/{id}/skip': ITSELF,
  'POST /contexts/{id}/flag': ITSELF,
  'POST /tasks/{slug}/consent': ITSELF,
  'POST /crowd/sessions/current/onboarding': ITSELF,
  'POST /crowd/sessions/current/finish': ITSELF,
  'POST /me/webhooks/{id}/ping': ITSELF,
  'POST /me/webhooks/{id}/deliveries/{delivery}/redeliver': ITSELF,
  'PATCH /me/profile': OWN_SETTINGS,
  'PUT /evaluator/presence': 'It is a heartbeat of a machine, and no change by anybody.',
  'POST /evaluator/leases': RUN,
  'DELETE /evaluator/leases': RUN,
  'POST /evaluator/deployments/leases': RUN,
  'PUT /evaluator/deployments/{deployment}/state': RUN,
  'POST /evaluator/deployments/{deployment}/outcome': RUN,
  'POST /evaluator/runs/{run}/renewal': RUN,
  'POST /evaluator/runs/{run}/outcome': RUN,
  'POST /evaluator/runs/{run}/datasets/{dataset}/stored-answers': RUN,
  'POST /evaluator/runs/{run}/datasets/{dataset}/start': RUN,
  'POST /evaluator/runs/{run}/datasets/{dataset}/progress': RUN,
  'PUT /evaluator/runs/{run}/datasets/{dataset}/answers': RUN,
  'POST /evaluator/runs/{run}/datasets/{dataset}/answers': RUN,
  'POST /evaluator/runs/{run}/datasets/{dataset}/failure': RUN,
  'POST /me/notifications/read': OWN_SETTINGS,
  'PATCH /me/notification-settings': OWN_SETTINGS,
};
