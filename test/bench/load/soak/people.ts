import type { NextContext } from '@assay/contracts/annotating';
import type { ForkView } from '@assay/contracts/boards';
import type { ValidationItem, ValidationView } from '@assay/contracts/collection';
import type { SoakOperation } from './operations.js';
import { soaker, type SoakedService } from './soaked-service.js';

/** Milliseconds between two examples of one annotator. */
const WRITING = 4_000;
const WRITERS = 4;

/** Returns the number of examples that are written in a number of minutes. */
export const examplesIn = (minutes: number): number => Math.ceil((WRITERS * minutes * 60_000) / WRITING);

/**
 * The operations of signed-in people: they read, annotate, try the model, validate, sign in and
 * out, and weigh the board.
 */
export const ofPeople = (soak: SoakedService): readonly SoakOperation[] => [
  { kind: 'read', people: 5, pace: 500, act: (person) => read(soak, person) },
  { kind: 'annotation', people: WRITERS, pace: WRITING, act: (person) => write(soak, person) },
  { kind: 'live prediction', people: 5, pace: 5_000, act: (person) => ask(soak, person) },
  { kind: 'validation', people: 4, pace: 8_000, act: (person) => validate(soak, person) },
  { kind: 'sign-in and sign-out', people: 2, pace: 10_000, act: (person) => comeAndGo(soak, person) },
  { kind: 'board by own weights', people: 1, pace: 5_000, act: () => weigh(soak) },
];

async function read(soak: SoakedService, person: number): Promise<void> {
  const { world, task, collection, standing } = soak;
  const number = soak.number();
  const paths = [
    `/tasks/${task}/leaderboard`,
    `/tasks/${task}/leaderboard?weights=accuracy:${1 + (number % 97) / 10}`,
    `/models/${standing.at(-1)}`,
    '/me',
    '/me/models',
    `/tasks/${task}`,
    `/tasks/${collection.task}/rounds`,
    `/tasks/${task}/models`,
  ];
  await world.expect(200, 'GET', paths[number % paths.length]!, { token: await world.user(soaker(person)) });
}

/** Writes an example against the target model. */
export async function write(soak: SoakedService, person: number): Promise<void> {
  const { world, collection } = soak;
  const path = `/tasks/${collection.task}`;
  const token = await world.user(soaker(person));
  const next = (await world.expect(200, 'POST', `${path}/annotate/next`, { token, body: {} })).body as NextContext;
  const number = soak.number();
  const body = {
    key: `soak-${person}-${number}`,
    context: next.context.id,
    input: { text: `Writer ${person} has sentence ${number} to say about this and about nothing else.` },
    label: 'neutral',
  };
  await world.expect(201, 'POST', `${path}/rounds/${next.round}/annotations`, { token, body });
}

async function ask(soak: SoakedService, person: number): Promise<void> {
  const { world, inLoop } = soak;
  const token = await world.user(soaker(person));
  const body = { input: { passage: 'A passage.', text: `Question ${soak.number()}.` } };
  await world.expect(200, 'POST', `/models/${inLoop}/predict`, { token, body });
}

/** Validates another person's example: labels it blind, then agrees with its author. */
async function validate({ world, collection }: SoakedService, person: number): Promise<void> {
  const token = await world.user(`validator-${person}`);
  const next = await world.expect(200, 'POST', `/tasks/${collection.task}/validate/next`, { token, body: {} });
  const { id } = next.body as ValidationItem;
  const body = { label: 'neutral' };
  const labelled = await world.expect(201, 'POST', `/annotations/${id}/validations`, { token, body });
  const { id: validation } = labelled.body as ValidationView;
  const given = await world.expect(200, 'PATCH', `/validations/${validation}`, { token, body: { verdict: 'correct' } });
  const { verdict } = given.body as ValidationView;
  if (verdict !== 'correct') throw new Error(`the verdict on ${id} is ${verdict}`);
}

/**
 * Signs in with a password, as browsers do, and signs out. The cookie must be invalid afterwards.
 */
async function comeAndGo({ world }: SoakedService, person: number): Promise<void> {
  const name = `comer-${person}`;
  await world.user(name);
  const body = { email: `${name}@example.org`, password: `${name}-has-a-password` };
  const signedIn = await world.expect(200, 'POST', '/auth/login', { body });
  const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! };
  const { username } = (await world.expect(200, 'GET', '/me', { headers })).body as { readonly username: string };
  if (username !== name) throw new Error(`${name} signed in, and is ${username}`);
  await world.expect(204, 'POST', '/auth/logout', { headers });
  await world.expect(401, 'GET', '/me', { headers });
}

/** Saves weights under a name, reads the board with them, and deletes them. */
async function weigh(soak: SoakedService): Promise<void> {
  const { world, task } = soak;
  const number = soak.number();
  const token = await world.user(soaker(0));
  const path = `/tasks/${task}/forks`;
  const weights = { accuracy: 1 + (number % 7), macro_f1: 1 };
  await world.expect(201, 'POST', path, { token, body: { name: `soak-${number}`, weights } });
  const fork = await world.expect(200, 'GET', `${path}/soak-${number}`, { token });
  const { board } = fork.body as ForkView;
  const weight = board.metrics.find(({ name }) => name === 'accuracy')?.weight;
  if (weight !== weights.accuracy || board.rows.length === 0) {
    throw new Error(`the board by own weights has ${board.rows.length} rows, accuracy with ${weight}`);
  }
  await world.expect(204, 'DELETE', `${path}/soak-${number}`, { token });
  await world.expect(404, 'GET', `${path}/soak-${number}`, { token });
}
