import { EVALUATOR_PROTOCOLS, type EvaluatorView } from '@assay/contracts/evaluators';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Run } from '@assay/evaluation/runs';
import { LocalBlobStore, readPredictions } from '@assay/storage';
import { Model } from '@assay/submissions';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { savedImageFiles, tarOf } from '../../factories/models/submitted-images.js';
import { until } from '../../factories/until.js';
import { GatewayWorld } from './gateway-world.js';

const N = 12;
const TASK = 'tone';

/** A client of the gateway that leases runs by itself, and runs their models. */
export interface GatewayClient {
  /** Leases nothing more, and returns the runs that it holds to the queue. */
  stop(): Promise<void>;
}

/** Where a client starts, and how its models behave. */
export interface ClientPlan {
  /** The address of the service. */
  readonly url: string;
  readonly token: string;
  /** An empty folder. */
  readonly folder: string;
  /** Models wait for it before each answer. */
  readonly answering: () => Promise<unknown>;
}

/** The answer of every model to an input. */
export const answerTo = ({ text }: { readonly text: string }): string =>
  Number(/\d+/.exec(text)![0]) % 3 === 0 ? 'negative' : 'positive';

/** Tests that a client of the gateway does what the service expects, whatever it runs models with. */
export function gatewayClientContract(name: string, start: (plan: ClientPlan) => Promise<GatewayClient>): void {
  describe(`the contract of gateway clients, kept by ${name}`, () => {
    let gateway: GatewayWorld;
    let client: GatewayClient | null = null;
    let count = 0;
    beforeAll(async () => {
      gateway = await GatewayWorld.start();
      await gateway.task(TASK, { count: N });
    }, 60_000);
    afterEach(async () => {
      await client?.stop();
      client = null;
      await gateway.world.orm.em
        .fork()
        .execute(`update run set state = 'cancelled', lease_owner = null where state in ('queued', 'leased')`);
    });
    afterAll(() => gateway.close());

    /** Registers and starts a client. Returns its name. */
    async function started(answering: ClientPlan['answering'] = () => Promise.resolve()): Promise<string> {
      const { world } = gateway;
      const registered = await world.call('POST', '/evaluators', {
        token: world.admin,
        body: { name: `client-${++count}` },
      });
      const { token } = registered.body as { readonly token: string };
      const folder = join(world.home, `client-${count}`);
      client = await start({ url: world.url, token, folder, answering });
      return `client-${count}`;
    }

    async function submitted(bytes?: Buffer<ArrayBuffer>): Promise<string> {
      return (await gateway.submit(TASK, gateway.builder, {}, bytes ?? (await image()))).id;
    }

    /** Returns an image that no other submission has. */
    async function image(): Promise<Buffer<ArrayBuffer>> {
      const tar = await tarOf([{ name: 'serve', mode: 0o755, content: `#!/bin/sh\n# ${++count}\n` }]);
      const config = { Entrypoint: ['/serve'], Cmd: [], Env: [], WorkingDir: '/' };
      return Buffer.from(await tarOf(savedImageFiles({ layers: [{ tar }], config })));
    }

    const em = () => gateway.world.orm.em.fork();
    const modelOf = (id: string) => em().findOneOrFail(Model, id);
    async function runOf(id: string): Promise<Run> {
      const { specification } = await modelOf(id);
      return em().findOneOrFail(Run, { specification: specification!.id, purpose: 'evaluation' });
    }
    const cellsOf = async (id: string): Promise<Evaluation[]> =>
      em().find(Evaluation, { specification: (await modelOf(id)).specification!.id });

    /** A gate before the answers of models. */
    function gate() {
      const reached = Promise.withResolvers<null>();
      const open = Promise.withResolvers<null>();
      const answering = () => {
        reached.resolve(null);
        return open.promise;
      };
      return { answering, reached: reached.promise, open: () => open.resolve(null) };
    }

    it('reports its host and the version that it uses', async () => {
      const own = await started();
      const { body } = await gateway.world.call('GET', '/evaluators', { token: gateway.world.admin });
      const listed = (body.items as EvaluatorView[]).find((each) => each.name === own);
      expect(listed).toMatchObject({ state: 'online', protocol: EVALUATOR_PROTOCOLS.at(-1), problem: null });
      expect(listed!.host!.cpus).toBeGreaterThan(0);
    });

    it('admits an artifact, and answers all examples of all datasets in their order', async () => {
      await started();
      const id = await submitted();
      await until(async () => (await runOf(id)).state === 'done');

      const blobs = new LocalBlobStore(join(gateway.world.home, 'blobs'));
      const cells = await cellsOf(id);
      expect(cells).toHaveLength(2);
      for (const { predictions, invalid } of cells) {
        expect(invalid).toBe(0);
        const answers: unknown[] = [];
        for await (const batch of readPredictions(await blobs.path(predictions!))) answers.push(...batch.answers);
        expect(answers).toEqual(Array.from({ length: N }, (__, n) => answerTo({ text: `text ${n}` })));
      }
      expect(await runOf(id)).toMatchObject({ attempts: 0, leaseOwner: null });
    });

    it('says why it refuses an artifact, and continues', async () => {
      await started();
      const refused = await submitted(Buffer.from(`no image ${++count} `.repeat(100)));
      const next = await submitted();
      await until(async () => (await modelOf(refused)).state === 'failed');
      expect((await modelOf(refused)).failure).toMatchObject({ code: 'not_an_image' });
      await until(async () => (await runOf(next)).state === 'done');
    });

    it('changes nothing about a run that another evaluator holds meanwhile, and takes the next one', async () => {
      const { answering, reached, open } = gate();
      await started(answering);
      const lost = await submitted();
      await reached;
      const { id } = await runOf(lost);
      await em().execute(`update run set fence = fence + 1, lease_owner = 'remote/other' where id = ?`, [id]);
      open();
      const next = await submitted();
      await until(async () => (await runOf(next)).state === 'done');

      expect(await runOf(lost)).toMatchObject({ state: 'leased', leaseOwner: 'remote/other', attempts: 0 });
      expect((await cellsOf(lost)).map(({ predictions }) => predictions)).toEqual([null, null]);
    });

    it('returns the run that it holds when it stops, without an attempt', async () => {
      const { answering, reached } = gate();
      await started(answering);
      const id = await submitted();
      await reached;
      await client!.stop();
      client = null;

      expect(await runOf(id)).toMatchObject({ state: 'queued', leaseOwner: null, attempts: 0 });
      await started();
      await until(async () => (await runOf(id)).state === 'done');
      expect(await runOf(id)).toMatchObject({ attempts: 0 });
    });
  });
}
