import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Estimate, FailureCode, ModelKind, ModelView } from '@assay/contracts';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { encode, external, model as onnxModel, tensor } from '../../libs/sandbox/src/onnx-bundle/onnx-model-fixture.js';
import { misbehavingImage } from '../factories/misbehaving-image.js';
import { ServiceWorld } from '../factories/service-world.js';
import { savedImageFiles, tarOf, type Entry } from '../factories/submitted-images.js';

jest.setTimeout(600_000);

const TASK = 'parity';
const EXAMPLES = 300;
/** Of what every one of these leaves to be gone: containers, sockets, files. */
const GONE_MILLISECONDS = 5_000;

describe('a submission that is bad', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bad-'));
  const image = join(folder, 'image.tar');
  let world: ServiceWorld;
  /** What the honest model scores where nothing bad was ever submitted before it. */
  let undisturbed: Estimate;
  let honest = 0;

  beforeAll(async () => {
    world = await ServiceWorld.start();
    await world.task({
      slug: TASK,
      name: 'Even or odd',
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: ['even', 'odd'] },
      performance: 'accuracy',
      limits: {
        memory: '160MiB',
        startSeconds: 4,
        requestSeconds: 3,
        evaluationSeconds: 4,
        artifact: '180MiB',
        unpacked: '180MiB',
      },
      quota: { perDay: 200, total: 200 },
    });
    await world.dataset(TASK, 'lengths', 'visibility=public', examples());
    await misbehavingImage(world.instance, image);
    undisturbed = await scoreOfAnHonestModel();
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world?.close();
  });

  /** By what goes wrong. Those of a class are sent one behind the other, and an honest model behind them. */
  const classes: [what: string, rows: readonly [way: string, code: FailureCode, sentence: RegExp][]][] = [
    [
      'its container',
      [
        ['never-ready', 'never_ready', /not ready within 4 s/],
        ['exits-at-once', 'model_exited', /At its start it exited with code 3/],
        ['exits-in-the-middle', 'model_exited', /After [\d,]+ of 300 examples it exited with code 3/],
        ['eats-memory', 'out_of_memory', /all 160 MiB of memory/],
        ['hangs-up', 'connection_lost', /connection/],
      ],
    ],
    [
      'its answers',
      [
        ['one-too-few', 'wrong_length', /\d+ predictions came back for a batch of \d+ instances/],
        ['unknown-label', 'unknown_label', /predictions\[0\] of a batch of \d+ .*"Even", .*"even", "odd"/],
        ['not-finite', 'invalid_probabilities', /predictions\[0\] of a batch of \d+ .*not finite/],
        ['sums-to-two', 'invalid_probabilities', /predictions\[0\] of a batch of \d+ .*sum to 2.*not 1/],
        ['not-json', 'invalid_json', /batch of \d+ instances is not JSON/],
        ['no-list', 'invalid_response', /batch of \d+ instances has no list "predictions"/],
        ['changes-its-mind', 'inconsistent', /index [\d,]+ of 300 .*one answer .*another/],
      ],
    ],
    [
      'its HTTP',
      [
        ['redirects', 'redirected', /redirect 307/],
        ['too-much', 'response_too_large', /more than the [\d.]+ [KM]iB/],
        ['gzipped', 'response_encoded', /content-encoding "gzip"/],
        ['status-500', 'http_status', /status 500: no GPU/],
      ],
    ],
    [
      'its time',
      [
        ['never-answers', 'request_timeout', /not answered within 3 s/],
        ['slow-from-the-start', 'too_slow', /[\d.]+ examples\/s: needs \d+ s, allowed 4 s/],
        ['slow-in-the-end', 'evaluation_timeout', /After [\d,]+ of 300 examples the 4 s/],
      ],
    ],
  ];

  describe.each(classes)('in %s', (_, rows) => {
    const verdicts = new Map<string, ModelView>();
    let next: ModelView;

    beforeAll(async () => {
      const ids: string[] = [];
      for (const [way] of rows) ids.push(await sent('container', image, [way]));
      const honest = await sendHonest();
      for (const [index, [way]] of rows.entries()) verdicts.set(way, await verdict(ids[index]!));
      next = await verdict(honest);
    });

    it.each(rows)('%s: ends as %s', (way, code, sentence) => {
      const bad = verdicts.get(way)!;

      expectFailure(bad, code, sentence);
      expect(bad.evaluations).toMatchObject([{ state: 'failed', failure: { code }, metrics: {} }]);
    });

    it('leaves nothing, and changes nothing for the next', async () => {
      expect(scoreOf(next)).toEqual(undisturbed);
      await nothingIsLeft();
    });
  });

  const artifacts: [what: string, ModelKind, code: FailureCode, sentence: RegExp, () => Promise<Uint8Array>][] = [
    ['a text', 'container', 'not_an_image', /./, () => Promise.resolve(Buffer.from('FROM scratch\n'))],
    ['a tar without an image', 'container', 'not_an_image', /./, () => tarOf([{ name: 'model.py', content: 'x' }])],
    [
      'half of an image',
      'container',
      'archive_truncated',
      /./,
      () => Promise.resolve(readFileSync(image).subarray(0, 50_000_000)),
    ],
    [
      'an image for another architecture',
      'container',
      'wrong_architecture',
      /arm64/,
      () => imageWith([serve], { architecture: 'arm64' }),
    ],
    [
      'an image that climbs out of its folder',
      'container',
      'image_refused',
      /\.\.\/\.\.\/etc\/passwd/,
      () => imageWith([serve, { name: '../../etc/passwd', content: 'root::0:0::/:' }]),
    ],
    ['an image that unpacks to too much', 'container', 'unpacked_too_large', /180 MiB|188743680/, bomb],
    [
      'a bundle without a tokenizer',
      'onnx',
      'bundle_incomplete',
      /tokenizer\.json/,
      () => bundle({ 'model.onnx': onnxModel() }, 'tokenizer.json'),
    ],
    [
      'a bundle whose weights lie elsewhere',
      'onnx',
      'bundle_refused',
      /\.\.\/\.\.\/etc\/passwd/,
      () =>
        bundle({
          'model.onnx': onnxModel({ initializers: [tensor(external({ location: '../../etc/passwd' }))] }),
        }),
    ],
    [
      'a bundle that no runtime loads',
      'onnx',
      'model_exited',
      /exited with code/,
      () => bundle({ 'model.onnx': onnxModel() }),
    ],
    [
      'a bundle that is none',
      'onnx',
      'not_a_bundle',
      /./,
      () => Promise.resolve(encode([[1, 'neither a zip nor a tar']])),
    ],
  ];

  it.each(artifacts)('%s (%s): ends as %s and leaves nothing', async (_, kind, code, sentence, bytes) => {
    const bad = await submitted(kind, await bytes());

    expectFailure(bad, code, sentence);
    await nothingIsLeft();
  });

  it('that was altered on its way is refused, and can be sent again', async () => {
    const bytes = await tarOf([{ name: 'model.py', content: 'x' }]);
    const digest = createHash('sha256').update('other bytes').digest('base64');
    const { id, token } = await announced('altered');
    const refused = await world.call('PUT', `/models/${id}/artifact`, {
      token,
      body: bytes,
      headers: { 'content-digest': `sha-256=:${digest}:` },
    });

    expect([refused.status, refused.body.code]).toEqual([422, 'upload_altered']);
    expect(refused.body.detail).toContain(createHash('sha256').update(bytes).digest('hex'));
    expect(await world.model(id)).toMatchObject({ state: 'awaiting-artifact' });
    await nothingIsLeft();
  });

  it('that ends before its announced length leaves the model waiting, and nothing of it', async () => {
    const { id, token } = await announced('cut');
    await cutOff(`${world.url}/api/v1/models/${id}/artifact`, token);

    await nothingIsLeft();
    expect(await world.model(id)).toMatchObject({ state: 'awaiting-artifact' });
  });

  it('that is larger than the task allows is refused at once', async () => {
    const { id, token } = await announced('large');
    const answer = await world.call('PUT', `/models/${id}/artifact`, { token, body: Buffer.alloc(200 << 20) });

    expect([answer.status, answer.body.code]).toEqual([413, 'artifact_too_large']);
    await nothingIsLeft();
  });

  it('costs the next nothing: an honest model still scores what it did', async () => {
    expect(await scoreOfAnHonestModel()).toEqual(undisturbed);
    expect((await world.board(TASK)).rows.every(({ metrics }) => metrics['accuracy']!.value === 0.75)).toBe(true);
  });

  function sent(kind: ModelKind, artifact: string | Uint8Array, command?: string[]): Promise<string> {
    const submission = { name: command?.join(' ') ?? kind, kind, ...(command && { command }) };
    return world.submit(TASK, submission, artifact);
  }

  const verdict = async (id: string): Promise<ModelView> => (await world.untilFinal(id)).model;

  async function submitted(kind: ModelKind, artifact: Uint8Array): Promise<ModelView> {
    return verdict(await sent(kind, artifact));
  }

  async function announced(name: string): Promise<{ id: string; token: string }> {
    return { id: await world.announce(TASK, { name, kind: 'container' }), token: await world.user('ada') };
  }

  /** Another command is another specification: it really runs each time. */
  function sendHonest(): Promise<string> {
    honest++;
    return sent('container', image, ['honest', String(honest)]);
  }

  async function scoreOfAnHonestModel(): Promise<Estimate> {
    return scoreOf(await verdict(await sendHonest()));
  }

  async function nothingIsLeft(): Promise<void> {
    await world.until(async () => (await world.residue()).length === 0, GONE_MILLISECONDS).catch(() => undefined);
    expect(await world.residue()).toEqual([]);
  }
});

function scoreOf(model: ModelView): Estimate {
  expect(model).toMatchObject({ state: 'scored' });
  return model.evaluations[0]!.metrics['accuracy']!;
}

/** Texts of many lengths; the gold label of every fourth is wrong. */
function examples(): string {
  return Array.from({ length: EXAMPLES }, (_, index) => {
    const text = `${index}${'x'.repeat(index % 17)}`;
    const isEven = (text.length % 2 === 0) !== (index % 4 === 0);
    return `${JSON.stringify({ id: index, text, label: isEven ? 'even' : 'odd' })}\n`;
  }).join('');
}

function expectFailure(model: ModelView, code: FailureCode, sentence: RegExp): void {
  expect([model.state, model.failure?.code, model.failure?.fault]).toEqual(['failed', code, 'model']);
  expect(model.failure?.message).toMatch(sentence);
  expect(model.failure?.message).toMatch(/^[A-Z\d"p].+\.$/);
  expect(model.failure?.next).toMatch(/\w+.*\.$/);
}

const serve: Entry = { name: 'serve', mode: 0o755, content: '#!/bin/sh\n' };

async function imageWith(entries: readonly Entry[], more: { readonly architecture?: string } = {}): Promise<Buffer> {
  return tarOf(savedImageFiles({ layers: [{ tar: await tarOf(entries) }], ...more }));
}

/** 190 MiB of zeros in a layer of 190 KB. */
async function bomb(): Promise<Buffer> {
  const layer = await tarOf([serve, { name: 'zeros', content: Buffer.alloc(190 << 20) }]);
  return tarOf(savedImageFiles({ layers: [{ tar: layer, packed: gzipSync(layer, { level: 1 }) }] }));
}

function bundle(files: Readonly<Record<string, Buffer>>, without?: string): Promise<Buffer> {
  const all: Record<string, string | Buffer> = {
    'tokenizer.json': '{"version": "1.0", "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}}',
    'tokenizer_config.json': '{"model_max_length": 128}',
    'config.json': '{"id2label": {"0": "even", "1": "odd"}}',
    ...files,
  };
  const names = Object.keys(all).filter((name) => name !== without);
  return tarOf(names.map((name) => ({ name, content: all[name]! })));
}

/** Announces a million bytes, sends half of them and hangs up. */
function cutOff(url: string, token: string): Promise<void> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, 'content-length': 1_000_000 };
    const upload = request(url, { method: 'PUT', headers: { ...headers, 'content-type': 'application/octet-stream' } });
    upload.on('error', () => undefined);
    upload.on('close', resolve);
    upload.write(Buffer.alloc(500_000), () => upload.destroy());
  });
}
