import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LeaderboardView } from '@assay/contracts/boards';
import { isFinal, type ModelEvent, type ModelState, type ModelSummary, type ModelView } from '@assay/contracts/models';
import { type TaskView } from '@assay/contracts/tasks';
import { sentiment } from '../sandboxes/examples/examples.js';
import { project, runNode } from './command.js';
import { ApiClient, ApiRefusal } from './services/api-client.js';
import { collectRound } from './services/demonstration-round.js';
import { demonstrationSubmissions, type DemonstrationSubmission } from './services/demonstration-submissions.js';
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
const examples = join(project, 'sandboxes/examples');

/**
 * Creates the demonstration task, submits its example models and waits until they are scored.
 * Leaves existing data unchanged. Uses only the API, like any user.
 */
export async function demonstrate(plan: DemoPlan, progress: Progress): Promise<void> {
  const administrator = new ApiClient(plan.address, readFileSync(join(plan.home, 'admin-token'), 'utf8').trim());
  const slug = await progress.step('Preparing the demonstration task', () => prepareTask(administrator));
  const builder = await exampleUser(plan, 'example-builder');

  const models = new Map((await listModels(administrator, slug)).map((model) => [model.name, model]));
  const waiting: { readonly id: string; readonly title: string }[] = [];
  for (const [index, submission] of demonstrationSubmissions.entries()) {
    const known = models.get(submission.title);
    if (known && isFinal(known.state)) continue;
    // two owners, as on a real board
    const client = index % 2 ? builder : administrator;
    const id = await progress.step(`Submitting ${submission.title}`, () => submit(client, slug, submission, known));
    waiting.push({ id, title: submission.title });
  }
  for (const { id, title } of waiting) {
    await progress.step(`Evaluating ${title}`, async (detail) => detail(await outcome(administrator, id)));
  }
  await progress.step('Waiting for the board', () => boardOf(administrator, slug));
  await progress.step('Collecting a round against the best models', async (detail) => {
    const people = await examplePeople(plan);
    const { counts } = await collectRound(administrator, slug, people);
    detail(`${counts.examples} examples, ${counts.fooled} fooled, ${counts.validated} validated`);
  });
  progress.say(`\n${await leaderboard(plan, slug)}`);
}

/** Creates the people who write and validate examples in the demonstration. */
async function examplePeople(plan: DemoPlan): Promise<readonly ApiClient[]> {
  const people: ApiClient[] = [];
  for (const displayName of ['Ada', 'Ben', 'Chidi', 'Dora', 'Emil']) {
    const person = await exampleUser(plan, `example-${displayName.toLowerCase()}`);
    await person.patch('/me/profile', { body: { displayName, board: 'name', shows: ['badges', 'examples'] } });
    people.push(person);
  }
  return people;
}

async function prepareTask(client: ApiClient): Promise<string> {
  const definition = readFileSync(join(examples, sentiment.task), 'utf8');
  const slug = /^slug: (.+)$/m.exec(definition)?.[1] ?? '';
  await client.get<TaskView>(`/tasks/${slug}`).catch((error: unknown) => {
    if (!(error instanceof ApiRefusal) || error.status !== 404) throw error;
    return client.post('/tasks', { body: definition, type: 'application/yaml' });
  });
  for (const { name, file, ...place } of sentiment.datasets) {
    const query = new URLSearchParams({ visibility: 'public', role: place.role });
    if ('round' in place) query.set('round', String(place.round));
    await client.put(`/tasks/${slug}/datasets/${name}?${query.toString()}`, {
      file: join(examples, file),
      type: 'application/x-ndjson',
    });
  }
  return slug;
}

/**
 * Returns a client for a user who is not an administrator. Created at the first start; the token is
 * stored next to the administrator's.
 */
async function exampleUser(plan: DemoPlan, username: string): Promise<ApiClient> {
  const path = join(plan.home, `${username}-token`);
  if (!existsSync(path)) writeFileSync(path, `${await registerUser(plan.address, username)}\n`, { mode: 0o600 });
  return new ApiClient(plan.address, readFileSync(path, 'utf8').trim());
}

/**
 * Registers a user and returns a token. If the name is taken, because an earlier start lost its
 * token, uses another name.
 */
async function registerUser(address: string, username: string): Promise<string> {
  const names = [username, `${username}-${randomBytes(3).toString('hex')}`];
  for (const name of names) {
    const account = { username: name, email: `${name}@example.org`, password: randomBytes(24).toString('base64url') };
    const response = await fetch(`${address}/api/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
    if (response.status === 409) continue;
    if (!response.ok) throw new ApiRefusal(response.status, `${name} was refused: ${await response.text()}`);
    return tokenOf(address, response);
  }
  throw new Error(`No free username found for ${username}.`);
}

async function tokenOf(address: string, registered: Response): Promise<string> {
  const created = await fetch(`${address}/api/v1/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: sessionCookie(registered) },
    body: JSON.stringify({ name: 'demonstration' }),
  });
  if (!created.ok) throw new Error(`A token for a demonstration user could not be created: ${await created.text()}`);
  return ((await created.json()) as { readonly token: string }).token;
}

function sessionCookie(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

async function listModels(client: ApiClient, slug: string): Promise<readonly ModelSummary[]> {
  return (await client.get<{ readonly items: readonly ModelSummary[] }>(`/tasks/${slug}/models?limit=100`)).items;
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
  const id =
    known?.id ?? (await client.post<{ id: string }>(`/tasks/${slug}/models`, { body: { name, kind, description } })).id;
  const directory = await mkdtemp(join(tmpdir(), 'assay-demo-'));
  try {
    await client.put(`/models/${id}/artifact`, { file: await submission.artifact(directory) });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
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
  const model = await client.get<ModelView>(`/models/${id}`);
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
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const scored = (await listModels(client, slug)).filter((model) => model.state === 'scored');
    const board = await client.get<LeaderboardView>(`/tasks/${slug}/leaderboard`).catch(() => undefined);
    const shown = new Set([...(board?.rows ?? []), ...(board?.incomplete ?? [])].map(({ model }) => model.id));
    if (scored.every(({ id }) => shown.has(id))) return;
    if (Date.now() > deadline) throw new Error(`The board of ${slug} does not show all models that are scored.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function leaderboard(plan: DemoPlan, slug: string): Promise<string> {
  const { output } = await runNode(['dist/cli/assay.mjs', 'leaderboard', slug], {
    environment: { ASSAY_URL: plan.address, ASSAY_HOME: plan.home },
  });
  return output.trimEnd();
}
