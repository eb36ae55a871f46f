import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

import type { FailureCode, ModelKind } from '@assay/contracts';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { extract } from 'tar-stream';

import { bundleFiles, bundleOf, HOSTILE_BUNDLES, slowModel } from '../../factories/hostile-bundles.js';
import { filesOf, HOSTILE_IMAGES, type Layout, LAYOUTS, untidyParts } from '../../factories/hostile-images.js';
import { type ImageLayer, type ImageParts, tarOf } from '../../factories/submitted-images.js';
import { ALLOWED, ProbeWorld } from './harness.js';

jest.setTimeout(600_000);

/** Seconds until an archive is refused: far below the deadline of reading it, as none is large enough to come near. */
const READ_SECONDS = 30;
/** What a verdict may come late by. */
const GRACE_SECONDS = 5;
/** A task whose models may unpack to 24 MiB: what a bomb of 260 MiB may not reach in memory either. */
const SMALL = 'small';
/** Of those that are refused, how many are sent at a time. */
const TOGETHER = 8;

interface Hostile {
  readonly what: string;
  readonly kind: ModelKind;
  readonly code: FailureCode;
  readonly sentence: RegExp;
  readonly bytes: () => Promise<Buffer> | Buffer;
}

const HOSTILE: readonly Hostile[] = [
  ...LAYOUTS.flatMap((layout) =>
    HOSTILE_IMAGES.filter(({ layouts = LAYOUTS }) => layouts.includes(layout)).map(
      ({ what, code, sentence, archive }): Hostile => ({
        what: `${what} (${layout})`,
        kind: 'container',
        code,
        sentence,
        bytes: () => archive(layout),
      }),
    ),
  ),
  ...HOSTILE_BUNDLES.map(({ what, code, sentence, archive }): Hostile => ({
    what,
    kind: 'onnx',
    code,
    sentence,
    bytes: archive,
  })),
];

describe('a hostile archive, sent to the whole service', () => {
  let probes: ProbeWorld;

  beforeAll(async () => {
    probes = await ProbeWorld.start();
    await probes.world.task({
      slug: SMALL,
      name: 'Even or odd, of little',
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: ['even', 'odd'] },
      performance: 'accuracy',
      limits: { artifact: '180MiB', unpacked: '24MiB' },
      quota: { perDay: 1000, total: 1000 },
    });
    await probes.world.dataset(SMALL, 'one', 'visibility=public', '{"id": 1, "text": "x", "label": "odd"}\n');
  });
  afterAll(() => probes?.close());

  // what is large is measured alone
  const isLarge = ({ what }: Hostile): boolean => /bomb|of 200 MB|without end|fill the memory/.test(what);
  const small = HOSTILE.filter((each) => !isLarge(each));
  const batches = [
    ...Array.from({ length: Math.ceil(small.length / TOGETHER) }, (_, batch) =>
      small.slice(batch * TOGETHER, (batch + 1) * TOGETHER),
    ),
    ...HOSTILE.filter(isLarge).map((each) => [each]),
  ];

  it.each(batches.map((batch) => [batch.map(({ what }) => what).join('; '), batch] as const))(
    'is refused, with what and where, and leaves nothing: %s',
    async (_, batch) => {
      await probes.unharmed(async () => {
        const verdicts = batch.map(async ({ what, kind, code, sentence, bytes }) => {
          const model = await probes.submit({ task: taskOf(what), kind, artifact: await bytes() });

          expect([what, model.state, model.failure?.code, model.failure?.fault]).toEqual([
            what,
            'failed',
            code,
            'model',
          ]);
          expect(model.failure!.message).toMatch(withoutStart(sentence));
          expect(model.failure!.next).toMatch(/\w+.*\.$/);
          expect(model.failure!.message).toMatch(/.+\.$/);
          expect(await probes.secondsOfRun(model.id)).toBeLessThan(READ_SECONDS + GRACE_SECONDS);
          expect([what, await probes.leftBy(model.id)]).toEqual([what, []]);
        });
        await Promise.all(verdicts);
      });
    },
  );

  it.each(LAYOUTS)('is made harmless where it can be, and then scored as any other (%s)', async (layout) => {
    await probes.unharmed(async () => {
      const image = await untidy(probes.image, layout, await platformTags());
      const model = await probes.submit({
        kind: 'container',
        artifact: image,
        command: ['honest', `untidy-${layout}`],
      });

      expect(model).toMatchObject({ state: 'scored' });
      expect(model.evaluations[0]!.metrics['accuracy']!.value).toBe(0.75);
    });
  });

  it('is given up where its model takes longer to load than a model may take to start', async () => {
    await probes.unharmed(async () => {
      const artifact = gzipSync(await bundleOf(bundleFiles({ 'model.onnx': slowModel(14) })));
      const model = await probes.submit({ task: 'unready', kind: 'onnx', artifact });

      expect([model.state, model.failure?.code]).toEqual(['failed', 'never_ready']);
      expect(await probes.secondsOfRun(model.id)).toBeLessThan(ALLOWED.unready + 15 + GRACE_SECONDS);
    });
  });

  it('changes nothing for an honest model after them', async () => {
    await probes.honestScoresAsBefore();
  });

  /** Of images that the platform needs, as the engine has them; one that is not there is named nevertheless. */
  async function platformTags(): Promise<string[]> {
    const images = await probes.world.engine.docker.listImages();
    const ours = images
      .flatMap(({ RepoTags }) => RepoTags ?? [])
      .filter((tag) => /^assay\/(relay|onnx-runner)/.test(tag));
    return [...ours, 'assay/relay:1', 'alpine:latest'];
  }
});

/** What is refused for what it is, and not for its size, is given the room for it. */
const taskOf = (what: string): string => (what.includes('of 200 MB') ? 'parity' : SMALL);

/** The sentence may be led by what a failure of its code always says. */
const withoutStart = ({ source }: RegExp): RegExp => new RegExp(source.replace(/^\^/, ''));

/** The image of the probes with all that builders may put into one, and that must count for nothing. */
async function untidy(path: string, layout: Layout, tags: readonly string[]): Promise<Buffer> {
  const files = await filesIn(gunzipSync(readFileSync(path)));
  const [manifest] = JSON.parse(files.get('manifest.json')!.toString()) as { Config: string; Layers: string[] }[];
  const { config } = JSON.parse(files.get(manifest!.Config)!.toString()) as { config: Record<string, unknown> };
  const parts = untidyParts(tags);
  const layers: ImageLayer[] = manifest!.Layers.map((name) => ({ tar: files.get(name)! }));
  const image: ImageParts = {
    layers: [...layers, { tar: await tarOf(parts.entries) }],
    config: { ...config, ...parts.config },
    ...(parts.tags && { tags: parts.tags }),
  };
  return gzipSync(await tarOf(filesOf(image, layout)), { level: 1 });
}

async function filesIn(tar: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const entries = extract();
  entries.end(tar);
  for await (const entry of entries) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    files.set(entry.header.name, Buffer.concat(chunks));
  }
  return files;
}
