import type { ModelAnswer, Serving } from '@assay/contracts/serving';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiCall, type ApiAnswer } from '../factories/worlds/api-call.js';
import type { AnotherApi } from '../factories/worlds/service-world.js';
import { CutNetwork } from './cut-network.js';
import { FaultyService, QUEUE_BACKENDS } from './faulty-service.js';
import { parity, parityExamples } from './parity-task.js';

const TASK = 'live';
const READY_MILLISECONDS = 120_000;
/** The host of the internal address of the second process, which differs from that of the first. */
const SECOND_HOST = '127.0.0.2';

describe.each(QUEUE_BACKENDS)('two API processes, with the queue on %s,', (queue) => {
  let service: FaultyService;
  let second: AnotherApi;
  let network: CutNetwork;
  let model: string;

  beforeAll(async () => {
    service = await FaultyService.start({ queue, environment: { ASSAY_API_PROCESSES: '2' } });
    const { world } = service;
    await world.stopEvaluator();
    second = await world.startAnotherApi('api-second', { ASSAY_INTERNAL_HOST: SECOND_HOST });
    // the evaluator reaches only the second process
    network = await CutNetwork.to(second.url);
    await world.startEvaluator({}, { url: network.url });

    await world.task({ ...parity, slug: TASK, collection: {} });
    await world.dataset(TASK, 'words', 'role=static&visibility=public', parityExamples('words', 120));
    model = await service.submitContainer('honest', 'new', TASK);
    await service.untilScored([model]);
    await untilServed();
  });
  afterAll(async () => {
    await service?.close();
    await network?.close();
  });

  it('give the same answers of a model whose evaluator is connected to one of them', async () => {
    expect(await liveHost()).toBe(SECOND_HOST);

    for (const [text, answer] of [
      ['four', 'even'],
      ['three', 'odd'],
    ] as const) {
      for (const url of [second.url, service.world.url]) {
        expect([url, text, await ask(url, text)]).toMatchObject([url, text, { status: 200, body: { answer } }]);
      }
    }
  });

  it('continue without the one that had the connection: its evaluator connects to the other', async () => {
    const { url } = service.world;
    await service.kill(second.process);
    expect(await ask(url, 'four')).toMatchObject({ status: 503, body: { code: 'model_starting' } });

    network.leadTo(url);
    await service.world.until(async () => (await liveHost()) === '127.0.0.1', READY_MILLISECONDS);
    await untilServed();
    expect(await ask(url, 'four')).toMatchObject({ status: 200, body: { answer: 'even' } });
    // work as before
    await service.untilScored([await service.submitContainer()]);

    await service.world.stopEvaluator();
    await service.expectInvariants();
  });

  async function ask(url: string, text: string): Promise<ApiAnswer & { readonly body: ModelAnswer }> {
    const token = await service.world.user('ada');
    return apiCall(`${url}/api/v1/models/${model}/predict`, 'POST', { token, body: { input: { text } } });
  }

  /** Waits until the model in the loop answers. */
  const untilServed = (): Promise<void> =>
    service.world.until(async () => {
      const { body } = await service.world.call('GET', `/tasks/${TASK}/loop`);
      return (body.models[0]?.serving as Serving | undefined)?.state === 'ready';
    }, READY_MILLISECONDS);

  /** Returns the host of the API process that has the WebSocket of the evaluator. */
  async function liveHost(): Promise<string | null> {
    const [row] = await service.witness.rows<{ address: string | null }>(
      'select live_address as address from evaluator where name = $1',
      [service.world.instance],
    );
    return row?.address ? new URL(row.address).hostname : null;
  }
});
