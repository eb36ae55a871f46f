import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { inspectOnnxBundle, type Sandbox } from '@assay/sandbox';
import { DockerEngine, DockerSandboxDriver, ensurePlatformImages, planImage, writeImage } from '@assay/sandbox/docker';
import { pack } from 'tar-stream';
import { onnxModelImage, onnxRunnerImage } from '../../sandboxes/onnx-runner/image.js';

jest.setTimeout(300_000);

const project = join(import.meta.dirname, '../..');

describe('an ONNX bundle in a sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'onnx-runner-'));
  const digest = randomBytes(32).toString('hex');
  const engine = new DockerEngine();
  const driver = new DockerSandboxDriver({ instance: `test-${digest.slice(0, 8)}`, engine });
  let sandbox: Sandbox | null = null;

  beforeAll(async () => {
    const [platform] = await ensurePlatformImages(engine, [onnxRunnerImage(project)]);
    const inspection = await inspectOnnxBundle(await trainedBundle(folder), join(folder, 'bundle'), {
      maxUnpackedBytes: 1e8,
    });
    if (inspection.kind !== 'admitted') throw new Error(inspection.message);

    const image = await planImage(onnxModelImage(project, inspection.bundle.files));
    const archive = join(folder, 'image.tar');
    await writeImage(image, { path: archive, tag: `assay/model:${digest}`, without: new Set(platform!.layers) });
    // the engine already has the layers of the runner: the archive contains only those of the model
    expect((await stat(archive)).size).toBeLessThan(1e6);
    await engine.load(createReadStream(archive), (await stat(archive)).size);

    const started = await driver.start(
      {
        image: digest,
        environment: { OMP_NUM_THREADS: '1' },
        port: 8080,
        limits: { memory: 512 * 1024 * 1024, cpus: 1, pids: 64, startSeconds: 60 },
        runtime: 'runc',
        data: 'readable',
        labels: { run: digest.slice(0, 8), attempt: 1 },
      },
      AbortSignal.timeout(120_000),
    );
    if (started.kind !== 'ready') throw new Error(`${started.kind}: ${started.log}`);
    sandbox = started.sandbox;
  });

  afterAll(async () => {
    await sandbox?.stop();
    await driver.uninstall(digest);
    await driver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers as the contract says, in the order of the instances', async () => {
    const texts = ['A wonderful film, I loved it.', 'Rude staff and cold food.', 'It opens at nine.', 'ünknown 😀'];
    const body = Buffer.from(JSON.stringify({ instances: texts.map((text) => ({ text })) }));

    const outcome = await sandbox!.invoke(body, { deadline: 30_000, responseBytes: 65_536 });

    if (outcome.kind !== 'answer') throw new Error(JSON.stringify(outcome));
    const { predictions } = JSON.parse(outcome.body.toString()) as {
      predictions: { label: string; probabilities: Record<string, number> }[];
    };
    expect(predictions).toHaveLength(texts.length);
    for (const { label, probabilities } of predictions) {
      expect(Object.keys(probabilities)).toEqual(['negative', 'neutral', 'positive']);
      expect(probabilities[label]).toBe(Math.max(...Object.values(probabilities)));
    }
    expect(predictions[0]?.label).toBe('positive');
  });

  it('explains which words mattered: by how much the probability of its answer falls without them', async () => {
    const text = 'A wonderful film, I loved it.';
    const ask = async (texts: readonly string[], path: '/invocations' | '/explain') => {
      const body = Buffer.from(JSON.stringify({ instances: texts.map((each) => ({ text: each })) }));
      const outcome = await sandbox!.invoke(body, { deadline: 30_000, responseBytes: 65_536, path });
      if (outcome.kind !== 'answer') throw new Error(JSON.stringify(outcome));
      return JSON.parse(outcome.body.toString()) as {
        predictions: { label: string; probabilities: Record<string, number> }[];
        explanations: { text: { token: string; start: number; end: number; weight: number }[] }[];
      };
    };

    const { explanations } = await ask([text], '/explain');
    const { predictions } = await ask([text, 'A film, I loved it.', 'A wonderful film, I it.'], '/invocations');

    const weights = new Map(explanations[0]!.text.map((each) => [each.token, each]));
    expect([...weights.keys()]).toEqual(['A', 'wonderful', 'film', 'I', 'loved', 'it']);
    expect(weights.get('wonderful')).toMatchObject({ start: 2, end: 11 });
    const [whole, ...variants] = predictions.map(({ probabilities }) => probabilities['positive']!);
    expect(weights.get('wonderful')!.weight).toBeCloseTo(whole! - variants[0]!, 5);
    expect(weights.get('loved')!.weight).toBeCloseTo(whole! - variants[1]!, 5);
    expect(weights.get('wonderful')!.weight).toBeGreaterThan(0);
  });

  it('answers 400 with a sentence where the request is wrong', async () => {
    const outcome = await sandbox!.invoke(Buffer.from('{"rows": []}'), { deadline: 30_000, responseBytes: 65_536 });
    expect(outcome).toMatchObject({ kind: 'status', status: 400, body: expect.stringContaining('instances') });
  });
});

/** Packs the example's ONNX export into a tar. Returns the path of the tar. */
async function trainedBundle(folder: string): Promise<string> {
  const examples = join(project, 'sandboxes/examples');
  const exported = join(folder, 'export');
  const run = spawnSync(process.execPath, [
    join(examples, 'onnx-bow/train.mjs'),
    join(examples, 'sentiment/train.jsonl'),
    exported,
  ]);
  if (run.status !== 0) throw new Error(run.stderr.toString());

  const tar = pack();
  for (const name of readdirSync(exported)) tar.entry({ name: `export/${name}` }, readFileSync(join(exported, name)));
  tar.finalize();
  const archive = join(folder, 'bundle.tar');
  writeFileSync(archive, await buffer(tar));
  return archive;
}
