import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LeaderboardView } from '@assay/contracts/boards';
import type { SignInWays } from '@assay/contracts/identity';
import type { InvitationCreated } from '@assay/contracts/operations';
import { isFinal, type ModelEvent, type ModelState, type ModelSummary, type ModelView } from '@assay/contracts/models';
import { sentiment } from '../sandboxes/examples/examples.js';
import { project, projectText, runNode } from './command.js';
import { ApiClient, contentOf, unlessMissing } from './services/api-client.js';
import { collectRound } from './services/demonstration-round.js';
import { demonstrationSubmissions, type DemonstrationSubmission } from './services/demonstration-submissions.js';
import { poll } from './services/processes.js';
import type { Progress } from './services/progress.js';

export interface DemoPlan {
  /** `ASSAY_HOME`, which contains the administrator's token. */
  readonly home: string;
  /** Address of the API, without a trailing slash. */
  readonly address: string;
}

/**
 * Milliseconds that a submission may take until it is scored, and then the board until it is
 * published.
 */
const PATIENCE = 240_000;

/**
 * Creates the demonstration task, submits its example models and waits until they are scored.
 * Leaves existing data unchanged. Uses only the API, like any user.
 */
export async function demonstrate(plan: DemoPlan, progress: Progress): Promise<void> {
  const administrator = new ApiClient(plan.address, readFileSync(join(plan.home, 'admin-token'), 'utf8').trim());
  const slug = await progress.step('Preparing the demonstration task', () => prepareTask(administrator));
  const { registration } = await administrator.send<SignInWays>('GET', '/auth/ways');
  const isClosed = registration === 'closed';
  const builder = isClosed ? administrator : await exampleUser(plan, administrator, 'example-builder');

  const models = new Map((await listModels(administrator, slug)).map((model) => [model.name, model]));
  const waiting: { readonly id: string; readonly title: string }[] = [];
  for (const [index, submission] of demonstrationSubmissions.entries()) {
    const known = models.get(submission.title);
    if (known && isFinal(known.state)) continue;
    // two owners, as on a real board, where people can register
    const client = index % 2 ? builder : administrator;
    const id = await progress.step(`Submitting ${submission.title}`, () => submit(client, slug, submission, known));
    waiting.push({ id, title: submission.title });
  }
  for (const { id, title } of waiting) {
    await progress.step(`Evaluating ${title}`, async (detail) => detail(await outcome(administrator, id)));
  }
  await progress.step('Waiting for the board', () => boardOf(administrator, slug));
  if (isClosed) {
    progress.say('Registration is closed, so the demonstration has no people who write examples.');
  } else {
    await progress.step('Collecting a round against the best models', async (detail) => {
      const people = await examplePeople(plan, administrator);
      const { counts } = await collectRound(administrator, slug, people);
      detail(`${counts.examples} examples, ${counts.fooled} fooled, ${counts.validated} validated`);
    });
  }
  progress.say(`\n${await leaderboard(plan, slug)}`);
}

/** Creates the people who write and validate examples in the demonstration. */
function examplePeople(plan: DemoPlan, administrator: ApiClient): Promise<readonly ApiClient[]> {
  return Array.fromAsync(['Ada', 'Ben', 'Chidi', 'Dora', 'Emil'], async (displayName) => {
    const person = await exampleUser(plan, administrator, `example-${displayName.toLowerCase()}`);
    await person.send('PATCH', '/me/profile', { body: { displayName, board: 'name', shows: ['badges', 'examples'] } });
    return person;
  });
}

async function prepareTask(client: ApiClient): Promise<string> {
  const definition = projectText(`sandboxes/examples/${sentiment.task}`);
  const slug = /^slug: (.+)$/m.exec(definition)?.[1] ?? '';
  if (!(await unlessMissing(client.send('GET', `/tasks/${slug}`)))) {
    await client.send('POST', '/tasks', { body: definition, type: 'application/yaml' });
  }
  for (const { name, file, ...place } of sentiment.datasets) {
    const query = new URLSearchParams({ visibility: 'public', role: place.role });
    if ('round' in place) query.set('round', String(place.round));
    await client.send('PUT', `/tasks/${slug}/datasets/${name}?${query.toString()}`, {
      file: join(project, 'sandboxes/examples', file),
      type: 'application/x-ndjson',
    });
  }
  return slug;
}

/**
 * Returns a client for a user who is not an administrator. Created at the first start; the token is
 * stored next to the administrator's.
 */
async function exampleUser(plan: DemoPlan, administrator: ApiClient, username: string): Promise<ApiClient> {
  const path = join(plan.home, `${username}-token`);
  if (!existsSync(path)) {
    const token = await registerUser(plan.address, administrator, username);
    writeFileSync(path, `${token}\n`, { mode: 0o600 });
  }
  return new ApiClient(plan.address, readFileSync(path, 'utf8').trim());
}

/**
 * Registers a user with an invitation, which works in every mode but `closed`, and returns a token. If
 * the name is taken, because an earlier start lost its token, uses another name.
 */
async function registerUser(address: string, administrator: ApiClient, username: string): Promise<string> {
  const { url } = await administrator.send<InvitationCreated>('POST', '/admin/invitations');
  const invitation = new URL(url).hash.slice(1);
  for (const name of [username, `${username}-${randomBytes(3).toString('hex')}`]) {
    const password = randomBytes(24).toString('base64url');
    const account = { username: name, email: `${name}@example.org`, password, invitation };
    const response = await post(`${address}/api/v1/auth/register`, account);
    if (response.status === 409) continue;
    if (!response.ok) throw new Error(`${name} was refused: ${await response.text()}`);

    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    const created = await post(`${address}/api/v1/tokens`, { name: 'demonstration' }, { cookie: cookies.join('; ') });
    if (!created.ok) throw new Error(`A token for a demonstration user could not be created: ${await created.text()}`);
    return ((await created.json()) as { readonly token: string }).token;
  }
  throw new Error(`No free username found for ${username}.`);
}

function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const content = contentOf({ body });
  return fetch(url, { ...content, method: 'POST', headers: { ...content.headers, ...headers } });
}

async function listModels(client: ApiClient, slug: string): Promise<readonly ModelSummary[]> {
  const { items } = await client.send<{ items: readonly ModelSummary[] }>('GET', `/tasks/${slug}/models?limit=100`);
  return items;
}

/**
 * Submits a model and returns its ID. Uploads the bytes of a model whose upload was interrupted at
 * an earlier start.
 */
async function submit(
  client: ApiClient,
  slug: string,
  submission: DemonstrationSubmission,
  known: ModelSummary | undefined,
): Promise<string> {
  if (known && known.state !== 'awaiting-artifact') return known.id;
  const { title: name, kind, description } = submission;
  const body = { name, kind, description };
  const { id } = known ?? (await client.send<{ id: string }>('POST', `/tasks/${slug}/models`, { body }));
  await using directory = await mkdtempDisposable(join(tmpdir(), 'assay-demo-'));
  await client.send('PUT', `/models/${id}/artifact`, { file: await submission.artifact(directory.path) });
  return id;
}

/** Follows a model to its final state, and returns the outcome in words. */
async function outcome(client: ApiClient, id: string): Promise<string> {
  const deadline = AbortSignal.timeout(PATIENCE);
  let state: ModelState = 'queued';
  while (!isFinal(state)) {
    for await (const { type, data } of client.events(`/models/${id}/events`, deadline)) {
      if (type === 'state') state = (data as ModelEvent & { readonly type: 'state' }).state;
      if (isFinal(state)) break;
    }
  }
  const model = await client.send<ModelView>('GET', `/models/${id}`);
  if (model.failure) return `failed (${model.failure.code}): ${model.failure.message}`;
  const ofExamples = model.evaluations.filter(({ perturbation }) => perturbation === undefined);
  const accuracies = ofExamples.map(({ dataset, metrics }) => {
    const accuracy = metrics['accuracy']?.value;
    return `${dataset} ${accuracy === undefined ? '?' : accuracy.toFixed(3)}`;
  });
  return `accuracy ${accuracies.join(', ')}`;
}

/** Waits until the board shows every scored model. */
async function boardOf(client: ApiClient, slug: string): Promise<void> {
  const isComplete = await poll(async () => {
    const scored = (await listModels(client, slug)).filter((model) => model.state === 'scored');
    const board = await client.send<LeaderboardView>('GET', `/tasks/${slug}/leaderboard`).catch(() => undefined);
    const shown = new Set([...(board?.rows ?? []), ...(board?.incomplete ?? [])].map(({ model }) => model.id));
    return scored.every(({ id }) => shown.has(id));
  }, PATIENCE);
  if (!isComplete) throw new Error(`The board of ${slug} does not show all models that are scored.`);
}

async function leaderboard(plan: DemoPlan, slug: string): Promise<string> {
  const { output } = await runNode(['dist/cli/assay.mjs', 'leaderboard', slug], {
    environment: { ASSAY_URL: plan.address, ASSAY_HOME: plan.home },
  });
  return output.trimEnd();
}
