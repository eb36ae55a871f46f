import type { NextContext } from '@assay/contracts/annotating';
import { beforeAll, expect, it } from '@jest/globals';
import { CollectionWorld } from '../../factories/worlds/collection-world.js';
import { DATASET, HIDDEN_DATASET, MARKERS, type ProbeWorld } from './harness.js';

const TASK = 'whispers';
/** The owner of the model that has seen hidden data. */
const WRITER = 'eve';
/** The owner of the model that looks for what the first one has left. */
const READER = 'ben';
/** Somebody who asks the first one. */
const PERSON = 'paula';
/** The marker in the questions of people, which must be found where the hidden one must not. */
const ASKED = 'marker1234567';
/** Room for the weights of many markers. */
const QUESTION = `${ASKED} ${'and so on '.repeat(20)}`;
const READY_MILLISECONDS = 90_000;

/** A marker as a word, and as a number. */
const formsOf = (marker: string): readonly string[] => [marker, `0.${marker.slice('marker'.length)}`];

/**
 * Registers the tests of a model that has seen hidden data and is then served to people, while a model of
 * another account looks for what the first one has left.
 */
export function taintedLoop(world: () => ProbeWorld): void {
  let probes: ProbeWorld;
  let model: string;
  let token: string;

  beforeAll(async () => {
    probes = world();
    const { world: service, runtime } = probes;
    await service.task({
      slug: TASK,
      name: 'Whispers',
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'said', type: 'text' },
      performance: 'exact_match',
      limits: { memory: '320MiB', artifact: '180MiB', unpacked: '180MiB' },
      collection: {},
      ...(runtime === 'runsc' && { runtime }),
    });
    for (const [name, visibility, marker] of [
      [DATASET, 'public', MARKERS.readable],
      [HIDDEN_DATASET, 'hidden', MARKERS.hidden],
    ] as const) {
      const lines = Array.from({ length: 40 }, (_, id) =>
        JSON.stringify({ id, text: `${id} ${marker}`, said: `${id}` }),
      );
      await service.dataset(TASK, name, `visibility=${visibility}`, `${lines.join('\n')}\n`);
    }
    token = await service.user(PERSON);

    const card = { name: 'Taint', kind: 'container' as const, publish: true, command: ['taint', 'text'] };
    model = await service.submit(TASK, card, probes.image, WRITER);
    expect((await probes.verdict(model, WRITER)).state).toBe('scored');
    await serve();
  });

  /** Opens a round against the model, and waits until people can ask it. */
  async function serve(): Promise<void> {
    const { world: service } = probes;
    const collection = new CollectionWorld(service, TASK);
    await collection.openRound({ models: [model] });
    await collection.put(1, 'contexts', [{ id: 'one', prompt: 'Write a sentence.' }]);
    await service.until(async () => {
      const sql = `select id from placement where model_id = $1 and state = 'ready'`;
      return (await service.rows(sql, [model])).length > 0;
    }, READY_MILLISECONDS);
  }

  /** Expects the markers of the question and of readable data in an answer, and none of hidden data. */
  function expectUntainted(answer: string, form: 'word' | 'number'): void {
    const place = form === 'word' ? 0 : 1;
    for (const marker of [ASKED, MARKERS.readable]) expect(answer).toContain(formsOf(marker)[place]);
    for (const hidden of formsOf(MARKERS.hidden)) expect(answer).not.toContain(hidden);
  }

  it('has seen the hidden data', async () => {
    const path = `/models/${model}/datasets/${HIDDEN_DATASET}/examples?limit=100`;
    const { body } = await probes.world.expect(200, 'GET', path, { token: probes.world.admin });
    expect(JSON.stringify(body)).toContain(MARKERS.hidden);
  });

  it('says nothing of it when another account asks it for an answer', async () => {
    const { body } = await probes.world.expect(200, 'POST', `/models/${model}/predict`, {
      token,
      body: { input: { text: QUESTION } },
    });
    expectUntainted(JSON.stringify(body), 'word');
  });

  it('says nothing of it when another account asks it for an explanation', async () => {
    const { world: service } = probes;
    const next = await service.expect(200, 'POST', `/tasks/${TASK}/annotate/next`, { token, body: {} });
    const { context } = next.body as NextContext;
    const { body } = await service.expect(200, 'POST', `/tasks/${TASK}/rounds/1/inspect`, {
      token,
      body: { context: context.id, input: { text: QUESTION } },
    });
    expect(body).toMatchObject({ method: 'model' });
    expectUntainted(JSON.stringify(body), 'number');
  });

  it('says nothing of it in the answers to an example of another account', async () => {
    const written = await new CollectionWorld(probes.world, TASK).annotate(PERSON, () => ({
      key: 'one',
      input: { text: QUESTION },
      label: 'nothing',
    }));
    expectUntainted(JSON.stringify(written), 'word');
  });

  it('leaves no file, and no name of one, to the model of another account', async () => {
    const id = await probes.send(['taint-reader'], 'parity', READER);
    expect((await probes.verdict(id, READER)).state).toBe('scored');

    const [, files, places] = /^searched (\d+) files: (.*)$/m.exec(await probes.logOf(id, READER))!;
    expect(Number(files)).toBeGreaterThan(100);
    // the marker that it left itself
    expect(JSON.parse(places!)).toEqual(
      ['/dev/shm', '/tmp'].map((folder) => `${folder}/seen/marker7777777: marker7777777`),
    );
  });
}
