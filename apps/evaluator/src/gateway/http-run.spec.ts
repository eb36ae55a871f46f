import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunOutcome } from '@assay/contracts/gateway';
import { failure } from '@assay/contracts/models';
import { TaskLimits } from '@assay/contracts/tasks';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  FakeGateway,
  type GatewayReply,
  hangUp,
  json,
  noContent,
  problem,
} from '../../../../test/factories/services/fake-gateway.js';
import { DATASET, leasedRunView, RUN } from '../../../../test/factories/services/lease-views.js';
import { until } from '../../../../test/factories/until.js';
import { ArtifactCache } from './artifact-cache.js';
import { HttpRun, type HttpRunParts } from './http-run.js';
import { areInputsUnavailable, type InputRow } from './leased-run.js';
import { ServiceClient } from './service-client.js';
import { LeaseLost } from './service-error.js';

const TOKEN = 'assay_secret-token-of-the-evaluator';
const BYTES = Buffer.from('the artifact as uploaded');
const DIGEST = createHash('sha256').update(BYTES).digest('hex');
const ARTIFACT = { digest: DIGEST, size: BYTES.length };

const at = (route: string): string => `/runs/${RUN}/${route}`;
const ofDataset = (route: string): string => at(`datasets/${DATASET}/${route}`);

describe('HttpRun', () => {
  let gateway: FakeGateway;
  let folder: string;
  let artifacts: ArtifactCache;
  let ended: AbortController;

  beforeEach(async () => {
    gateway = await FakeGateway.start();
    folder = await mkdtemp(join(tmpdir(), 'http-run-'));
    artifacts = await ArtifactCache.open(folder);
    ended = new AbortController();
  });

  afterEach(async () => {
    ended.abort();
    await gateway.stop();
    await rm(folder, { recursive: true });
  });

  const client = () => new ServiceClient(gateway.url, TOKEN);
  const parts = (): HttpRunParts => ({ client: client(), artifacts, signal: ended.signal });
  const run = (view = leasedRunView({}, ARTIFACT), more: Partial<HttpRunParts> = {}) =>
    new HttpRun({ ...parts(), ...more }, view);

  describe('the artifact', () => {
    const whole: GatewayReply = (response) => response.writeHead(200, { 'content-length': BYTES.length }).end(BYTES);

    /** Sends the first bytes, and keeps the connection open until `cut` is called. */
    function half(): { reply: GatewayReply; cut: () => unknown } {
      let cut: () => unknown = () => undefined;
      const reply: GatewayReply = (response) => {
        cut = () => response.destroy();
        response.writeHead(200, { 'content-length': BYTES.length }).write(BYTES.subarray(0, 10));
      };
      return { reply, cut: () => cut() };
    }

    it('is downloaded to the end when the connection was cut', async () => {
      const { reply, cut } = half();
      gateway.on(`GET ${at('artifact')}`, reply, (response) => response.writeHead(206).end(BYTES.subarray(10)));

      const path = run().artifact();
      await until(async () => (await stat(join(folder, `${DIGEST}.part`)).catch(() => null))?.size === 10);
      cut();

      expect(await readFile(await path)).toEqual(BYTES);
      expect(gateway.of(`GET ${at('artifact')}`).map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=10-']);
    });

    it('is refused and removed when it has another digest', async () => {
      gateway.on(`GET ${at('artifact')}`, (response) => response.end('x'.repeat(BYTES.length)), whole);
      const damaged = run();

      await expect(damaged.artifact()).rejects.toThrow(`instead of ${DIGEST}`);
      expect(await readdir(folder)).toEqual([]);
      expect(await readFile(await damaged.artifact())).toEqual(BYTES);
    });

    it('is downloaded once for all runs that need it', async () => {
      gateway.on(`GET ${at('artifact')}`, whole);

      const [first, second] = await Promise.all([run().artifact(), run().artifact()]);

      expect(second).toBe(first);
      expect(await run().artifact()).toBe(first);
      expect(gateway.of(`GET ${at('artifact')}`)).toHaveLength(1);
    });
  });

  describe('the inputs', () => {
    const rows = Array.from({ length: 6 }, (_, place) => `{"text":"é ${place}"}`);

    async function read(source: AsyncIterable<readonly InputRow[]>): Promise<InputRow[]> {
      const found: InputRow[] = [];
      for await (const group of source) found.push(...group);
      return found;
    }

    it('are resumed after the last row, without lost or doubled ones', async () => {
      let cut: () => unknown = () => undefined;
      gateway.on(
        `GET ${ofDataset('inputs')}`,
        (response) => {
          cut = () => response.destroy();
          response.write(`${rows[0]}\n${rows[1]}\n${rows[2]!.slice(0, 5)}`);
        },
        hangUp,
        (response, { query }) =>
          response.end(
            rows
              .slice(Number(query.get('from')))
              .map((row) => `${row}\n`)
              .join(''),
          ),
      );

      const groups = run().inputs(DATASET);
      const first = (await groups.next()).value as InputRow[];
      cut();

      expect([...first, ...(await read(groups))]).toEqual(rows.map((instance, index) => ({ index, instance })));
      expect(gateway.of(`GET ${ofDataset('inputs')}`).map(({ query }) => query.toString())).toEqual([
        'fence=3&from=0',
        'fence=3&from=2',
        'fence=3&from=2',
      ]);
    });

    it('are read no further when the caller stops', async () => {
      let isClosed = false;
      gateway.on(`GET ${ofDataset('inputs')}`, (response) => {
        response.on('close', () => (isClosed = true));
        response.write(`${rows[0]}\n`);
      });

      for await (const [row] of run().inputs(DATASET)) {
        expect(row).toEqual({ index: 0, instance: rows[0] });
        break;
      }

      await until(() => isClosed);
    });

    it('have variants, which come again in the same order after an interruption', async () => {
      let cut: () => unknown = () => undefined;
      gateway.on(
        `GET ${ofDataset('variants')}`,
        (response) => {
          cut = () => response.destroy();
          response.write(`${rows[0]}\n${rows[1]}\n`);
        },
        (response) => response.end(rows.map((row) => `${row}\n`).join('')),
      );

      const found: string[] = [];
      for await (const variant of run().variants(DATASET, 6)) {
        found.push(variant);
        if (found.length === 2) cut();
      }

      expect(found).toEqual(rows);
      const { query } = gateway.of(`GET ${ofDataset('variants')}`)[0]!;
      expect(query.toString()).toBe('fence=3&count=6');
    });

    it('may be unavailable', async () => {
      gateway.on(`GET ${ofDataset('inputs')}`, problem(409, 'inputs_unavailable', 'line 3 is not valid JSON'));

      const error: unknown = await read(run().inputs(DATASET)).catch((thrown: unknown) => thrown);

      expect(areInputsUnavailable(error)).toBe(true);
    });
  });

  describe('the answers', () => {
    const facts = { measures: null, seen: ['4e9a3e4c-9c1a-4d7e-8a51-5d2d8f6f1a11'], timed: [0, 2] };
    const answers = [{ text: 'good' }, null, { text: 'bad', probabilities: [0.25, 0.75] }];
    const lines = '"good"\nnull\n{"label":"bad","probabilities":{"good":0.25,"bad":0.75}}\n';

    /** Stores chunks by their offset, as the service does. */
    function store() {
      let stored = Buffer.alloc(0);
      const take: GatewayReply = (response, { query, body }) => {
        stored = Buffer.concat([stored.subarray(0, Number(query.get('offset'))), body]);
        json({ size: stored.length })(response, { query, body, headers: {} });
      };
      const takeAndHangUp: GatewayReply = (response, request) => {
        stored = Buffer.concat([stored, request.body]);
        hangUp(response, request);
      };
      return { take, takeAndHangUp, text: () => stored.toString() };
    }

    it('are sent as lines, and completed with the facts', async () => {
      const { take, text } = store();
      gateway.on(`PUT ${ofDataset('answers')}`, take);
      gateway.on(`POST ${ofDataset('answers')}`, noContent);

      const upload = await run().upload(DATASET);
      await upload.append(answers.slice(0, 2));
      await upload.append(answers.slice(2));
      await upload.finish(facts);

      expect(text()).toBe(lines);
      expect(gateway.of(`PUT ${ofDataset('answers')}`)).toMatchObject([
        { headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${TOKEN}` } },
      ]);
      expect(gateway.bodiesOf(`POST ${ofDataset('answers')}`)).toEqual([{ size: lines.length, ...facts }]);
    });

    it('are not doubled when a response is lost, and go in chunks of about 1 MiB', async () => {
      const { take, takeAndHangUp, text } = store();
      gateway.on(`PUT ${ofDataset('answers')}`, take, takeAndHangUp, take);
      gateway.on(`POST ${ofDataset('answers')}`, noContent);
      const many = Array.from({ length: 60_000 }, (_, place) => answers[place % 3]!);

      const upload = await run().upload(DATASET);
      await upload.append(many);
      await upload.finish(facts);

      const sent = gateway
        .of(`PUT ${ofDataset('answers')}`)
        .map(({ query, body }) => [Number(query.get('offset')), body.length]);
      const size = 20_000 * lines.length;
      expect(sent).toEqual([
        [0, expect.any(Number)],
        [sent[0]![1], size - sent[0]![1]!],
        [sent[0]![1], size - sent[0]![1]!],
      ]);
      expect(sent[0]![1]! - 2 ** 20).toBeLessThan(lines.length);
      expect(text()).toBe(lines.repeat(20_000));
    });

    it('are read back as they are stored', async () => {
      const route = `POST ${ofDataset('stored-answers')}`;
      const sent = lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
      gateway.on(route, json({ answers: sent }), json({ answers: null }), json({ answers: ['unknown'] }));
      const leased = run();

      expect(await leased.storedAnswers(DATASET, [0, 3, 4])).toEqual(answers);
      expect(await leased.storedAnswers(DATASET, [0])).toBeNull();
      await expect(leased.storedAnswers(DATASET, [0])).rejects.toThrow('"unknown"');
      expect(gateway.bodiesOf(route)[0]).toEqual({ places: [0, 3, 4] });
    });
  });

  it.each<[string, (run: HttpRun) => Promise<void>, object]>([
    [
      'an image',
      (leased) =>
        leased.admit({ port: 80, protocol: null, unpackedBytes: 5, unreadable: ['/root/x'], contentDigest: DIGEST }),
      { kind: 'admitted', port: 80, protocol: null, unpackedBytes: 5, unreadable: ['/root/x'], contentDigest: DIGEST },
    ],
    [
      'a refused artifact',
      (leased) => leased.refuse('unpacked_too_large', 'too large'),
      { kind: 'refused', code: 'unpacked_too_large', message: 'too large' },
    ],
    [
      'a result',
      (leased) => leased.finish({ measures: null, retakes: 2, log: { log: null, logSeen: [], withheldBytes: 3 } }),
      { kind: 'finished', measures: null, retakes: 2, log: { log: null, logSeen: [], withheldBytes: 3 } },
    ],
    [
      'a result and the image that it rebuilt',
      (leased) => {
        leased.noteImage({ port: 80, protocol: null, unpackedBytes: 5 });
        return leased.finish({ measures: null });
      },
      { kind: 'finished', measures: null, rebuilt: { port: 80, protocol: null, unpackedBytes: 5 } },
    ],
    [
      'a failure',
      (leased) => leased.fail(failure('model_exited', 'x'.repeat(5000))),
      { kind: 'failed', failure: { code: 'model_exited', message: 'x'.repeat(4000) } },
    ],
    ['that nothing is to be done', (leased) => leased.abandon(), { kind: 'abandoned' }],
    ['that it cannot go on', (leased) => leased.postpone(), { kind: 'postponed' }],
  ])('ends the lease with %s', async (_, end, outcome) => {
    gateway.on(`POST ${at('outcome')}`, noContent);
    const leased = run();

    await end(leased);

    expect(gateway.bodiesOf(`POST ${at('outcome')}`)).toEqual([outcome]);
    expect(RunOutcome.parse(outcome)).toEqual(outcome);
    expect(leased.ended).toBe(RunOutcome.parse(outcome).kind);
  });

  it('keeps the limits within the ceilings of the host', async () => {
    const ceilings = { ...TaskLimits.parse({}), memory: 1000, unpacked: 2000 };
    const leased = run(leasedRunView({ waitedSeconds: 100 }), { ceilings });

    expect(leased.assignment.specification.limits).toMatchObject({ memory: 1000, cpus: ceilings.cpus });
    expect(await leased.unpackedLimit()).toBe(2000);
    expect(await leased.hasWaited(100)).toBe(true);
    expect(await leased.hasWaited(200)).toBe(false);
  });

  it('stops at once when the lease is lost', async () => {
    gateway.on(`POST ${ofDataset('start')}`, problem(409, 'lease_lost'));

    await expect(run().start(DATASET)).rejects.toThrow(LeaseLost);
    expect(gateway.of(`POST ${ofDataset('start')}`)).toHaveLength(1);
  });

  it('ends its requests when it is closed', async () => {
    let isClosed = false;
    gateway.on(`GET ${at('artifact')}`, (response) => {
      response.on('close', () => (isClosed = true));
      response.write('x');
    });
    const leased = run();
    const path = leased.artifact();
    await until(() => gateway.of(`GET ${at('artifact')}`).length === 1);

    await Promise.all([expect(path).rejects.toThrow('The run has ended.'), leased.close()]);

    await until(() => isClosed);
    expect(await readdir(folder)).toEqual([]);
  });

  it('reports no characters that a database does not store', async () => {
    gateway.on(`POST ${at('outcome')}`, noContent);

    await run().failPlatform(`a\0b${'x'.repeat(3996)}\ud83d\ude00`);

    expect(gateway.bodiesOf(`POST ${at('outcome')}`)).toEqual([
      { kind: 'platform_failed', message: `a\ufffdb${'x'.repeat(3996)}\ufffd` },
    ]);
  });
});
