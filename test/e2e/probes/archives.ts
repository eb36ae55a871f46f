import { existsSync, readFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

import type { FailureCode, ModelKind } from '@assay/contracts/models';
import { beforeAll, expect, it } from '@jest/globals';
import { extract } from 'tar-stream';

import { bundleFiles, bundleOf, hostileBundles, slowModel } from '../../factories/hostile/hostile-bundles.js';
import {
  filesOf,
  hostileImages,
  type Layout,
  LAYOUTS,
  runElsewhere,
  untidyParts,
} from '../../factories/hostile/hostile-images.js';
import { type Entry, type ImageLayer, type ImageParts, tarOf } from '../../factories/models/submitted-images.js';
import { PARITY_TASK } from '../../factories/models/parity-task.js';
import { withGvisor } from '../../factories/hostile/gvisor.js';
import { ALLOWED, type ProbeWorld, READING_GROWTH } from './harness.js';

/**
 * The time until an archive is refused, in seconds: far below the deadline for reading it, which no
 * archive here is large enough to approach.
 */
const READ_SECONDS = 30;
/** The tolerance for a late verdict, in seconds. */
const GRACE_SECONDS = 5;
/**
 * A task whose models may unpack to 24 MiB. A bomb of 260 MiB must not reach that size in memory
 * either.
 */
const SMALL = 'small';

type Parts = (tags: readonly string[]) => Untidy;

interface UntidyContent {
  readonly what: string;
  readonly parts: Parts;
  /** The layout in the short form. */
  readonly layout: Layout;
  /** The commands of the probe image that run in the short form. */
  readonly commands: readonly (readonly string[])[];
  /**
   * The probe that comes closest to the relay's files under gVisor, where they are within the
   * sandbox.
   */
  readonly nearest: string;
}

interface ArchiveProbes {
  /** The world of the probes, once it has started. */
  readonly world: () => ProbeWorld;
  readonly hasGvisor: boolean;
  /**
   * The short form, for CI, sends one archive for each code of a refusal; hostile-archives.spec.ts
   * and hostile-bundles.spec.ts pass all of them to the parsers. The full form (`npm run
   * test:probes`) sends each archive alone. Models that start do so under the runtime of the world.
   */
  readonly form: 'short' | 'full';
}

interface Hostile {
  readonly what: string;
  readonly kind: ModelKind;
  readonly code: FailureCode;
  readonly sentence: RegExp;
  readonly bytes: () => Promise<Buffer> | Buffer;
}

/** More than the task allows. */
const BOMB_BYTES = 260 << 20;

const HOSTILE: readonly Hostile[] = [
  ...LAYOUTS.flatMap((layout) =>
    hostileImages(BOMB_BYTES)
      .filter(({ layouts = LAYOUTS }) => layouts.includes(layout))
      .map(({ what, code, sentence, archive }): Hostile => ({
        what: `${what} (${layout})`,
        kind: 'container',
        code,
        sentence,
        bytes: () => archive(layout),
      })),
  ),
  ...hostileBundles(BOMB_BYTES).map(({ what, code, sentence, archive }): Hostile => ({
    what,
    kind: 'onnx',
    code,
    sentence,
    bytes: archive,
  })),
];

/** The first archive of each kind and failure code. */
const onePerCode = [
  ...new Map(HOSTILE.toReversed().map((each) => [`${each.kind} ${each.code}`, each])).values(),
].toReversed();

/**
 * Registers the tests of archives that are hostile themselves, and of images that are merely
 * untidy.
 */
export function hostileArchives({ world, hasGvisor, form }: ArchiveProbes): void {
  const sent = form === 'full' ? HOSTILE : onePerCode;
  /**
   * The number of refused archives that are sent concurrently, and of large ones that are sent one
   * after the other in one test.
   */
  const [together, inARow] = form === 'full' ? [1, 1] : [20, 6];
  let probes: ProbeWorld;

  beforeAll(async () => {
    probes = world();
    await probes.world.task({
      slug: SMALL,
      ...PARITY_TASK,
      name: 'Even or odd, of little',
      limits: { artifact: '180MiB', unpacked: '24MiB' },
      quota: { perDay: 1000, total: 1000 },
    });
    await probes.world.dataset(SMALL, 'one', 'visibility=public', '{"id": 1, "text": "x", "label": "odd"}\n');
  });

  // large archives are measured alone
  const isLarge = ({ what }: Hostile): boolean => /bomb|very large|without end|fill the memory/.test(what);
  const small = sent.filter((each) => !isLarge(each));
  const alone = sent.filter(isLarge).map((each) => [each]);
  const batches = [...inParts(small, together).map((part) => [part]), ...inParts(alone, inARow)];

  it.each(batches.map((batch) => [namesOf(batch.flat()), batch] as const))(
    'is refused, with what and where, and leaves nothing: %s',
    async (_, batch) => {
      for (const part of batch) {
        await probes.unharmed(() => Promise.all(part.map((each) => expectRefusal(each))), READING_GROWTH);
      }
      if (form === 'full') await probes.honestScoresAsBefore();
    },
  );

  async function expectRefusal({ what, kind, code, sentence, bytes }: Hostile): Promise<void> {
    const model = await probes.submit({ task: taskOf(what), kind, artifact: await bytes() });

    expect([what, model.state, model.failure?.code, model.failure?.fault]).toEqual([what, 'failed', code, 'model']);
    expect(model.failure!.message).toMatch(withoutStart(sentence));
    expect(model.failure!.next).toMatch(/\w+.*\.$/);
    expect(model.failure!.message).toMatch(/.+\.$/);
    expect(await probes.secondsOfRun(model.id)).toBeLessThan(READ_SECONDS + GRACE_SECONDS);
    expect([what, await probes.leftBy(model.id)]).toEqual([what, []]);
  }

  /** The files of the probe image. */
  let files: ReadonlyMap<string, Buffer> | undefined;
  /**
   * Archives by content and layout: an archive that runs under both runtimes is built, admitted and
   * loaded once.
   */
  const archives = new Map<string, Buffer>();
  const contents: readonly UntidyContent[] = [
    {
      what: 'with all that may be in one',
      parts: untidyParts,
      layout: 'saved',
      commands: [['kills-the-relay'], ['surroundings']],
      nearest: 'kills-the-relay',
    },
    {
      what: 'whose /run is where it may write',
      parts: () => ({ config: {}, entries: [runElsewhere] }),
      layout: 'layout',
      commands: [['fill-root', '/data']],
      nearest: 'fill-root',
    },
  ];
  const everyCommand = [['fill-root', '/data'], ['kills-the-relay'], ['surroundings']];
  const cases =
    form === 'full'
      ? contents.flatMap((each) => LAYOUTS.map((layout) => ({ ...each, layout, commands: everyCommand })))
      : contents;
  it.each(cases)('is made harmless where it can be, and then scored as any other: $what ($layout)', async (content) => {
    await expectHarmless(content, content.commands);
    if (form === 'full') await probes.honestScoresAsBefore();
  });

  if (form === 'short') {
    withGvisor(hasGvisor, () =>
      it.each(contents)('is made harmless under gVisor too: $what', async (content) => {
        await expectHarmless(content, [[content.nearest, '/data']], await probes.parityUnder('runsc'));
      }),
    );
    it('changes no bit of what an honest model scores next', () => probes.honestScoresAsBefore());
  }

  async function expectHarmless(
    { what, layout, parts }: Pick<UntidyContent, 'what' | 'layout' | 'parts'>,
    commands: readonly (readonly string[])[],
    task = 'parity',
  ): Promise<void> {
    files ??= await filesIn(zstdDecompressSync(readFileSync(probes.image)));
    const key = `${what} ${layout}`;
    const image = archives.get(key) ?? (await untidy(files, layout, parts(await platformTags())));
    if (form === 'short') archives.set(key, image);
    await probes.unharmed(async () => {
      const verdicts = commands.map(async (command) => {
        const model = await probes.submit({ task, kind: 'container', artifact: image, command });

        expect([command, model.state, model.failure]).toEqual([command, 'scored', undefined]);
        expect(model.evaluations[0]!.metrics['accuracy']!.value).toBe(0.75);
        saidHarmless(command[0]!, await probes.logOf(model.id));
      });
      await Promise.all(verdicts);
    });
    expect(existsSync('/etc/assay-probe')).toBe(false);
  }

  // CI checks the same time limit with a container: the probe never-ready
  if (form === 'full') {
    it('is given up where its model takes longer to load than a model may take to start', async () => {
      await probes.unharmed(async () => {
        const artifact = gzipSync(await bundleOf(bundleFiles({ 'model.onnx': slowModel(14) })));
        const model = await probes.submit({ task: 'unready', kind: 'onnx', artifact });

        expect([model.state, model.failure?.code]).toEqual(['failed', 'never_ready']);
        expect(await probes.secondsInSandbox(model.id)).toBeLessThan(ALLOWED.unready + GRACE_SECONDS);
      });
      await probes.honestScoresAsBefore();
    });
  }

  /**
   * Returns the tags of the platform's images on the engine, and two well-known tags even if they
   * are missing.
   */
  async function platformTags(): Promise<string[]> {
    const images = await probes.world.engine.docker.listImages();
    const ours = images
      .flatMap(({ RepoTags }) => RepoTags ?? [])
      .filter((tag) => /^assay\/(relay|onnx-runner)/.test(tag));
    return [...ours, 'assay/relay:1', 'alpine:latest'];
  }
}

function namesOf(batch: readonly Hostile[]): string {
  return batch.map(({ what }) => what).join('; ');
}

/** Splits a list into parts of `size`, in order. The last part may be smaller. */
function inParts<T>(all: readonly T[], size: number): readonly T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, part) => all.slice(part * size, (part + 1) * size));
}

/**
 * Returns a task with enough room for an archive that is refused for another reason than its size.
 */
const taskOf = (what: string): string => (what.includes('very large configuration') ? 'parity' : SMALL);

/** Removes the anchor: the message may begin with the standard sentence of its failure code. */
const withoutStart = ({ source }: RegExp): RegExp => new RegExp(source.replace(/^\^/, ''));

interface Untidy {
  readonly config: Record<string, unknown>;
  readonly entries: readonly Entry[];
  readonly tags?: readonly string[];
}

/** Checks what a probe reports about its container when it runs in an untidy image. */
function saidHarmless(probe: string, log: string): void {
  if (probe !== 'surroundings') {
    expect(log).toMatch(/^(?:\/data\/|link): E[A-Z]+$/m);
    // /run may be a link to /tmp
    expect(log.replace(/^\/run\/: done$/m, '')).not.toContain(': done');
    return;
  }
  const { user, mounts } = JSON.parse(/^surroundings (.*)$/m.exec(log)![1]!) as { user: unknown[]; mounts: string[] };
  expect(user.slice(0, 2)).toEqual([65534, 65534]);
  expect(mounts.filter((mount) => mount.startsWith('/data '))).toEqual([]);
  expect(mounts.filter((mount) => mount.startsWith('/tmp '))).toHaveLength(1);
}

/** Builds the probe image with additional content that a builder may add. */
async function untidy(files: ReadonlyMap<string, Buffer>, layout: Layout, parts: Untidy): Promise<Buffer> {
  const [manifest] = JSON.parse(files.get('manifest.json')!.toString()) as { Config: string; Layers: string[] }[];
  const { config } = JSON.parse(files.get(manifest!.Config)!.toString()) as { config: Record<string, unknown> };
  const layers: ImageLayer[] = manifest!.Layers.map((name) => ({ tar: files.get(name)! }));
  const image: ImageParts = {
    layers: [...layers, { tar: await tarOf(parts.entries) }],
    config: { ...config, ...parts.config },
    ...(parts.tags && { tags: parts.tags }),
  };
  return zstdCompressSync(await tarOf(filesOf(image, layout)));
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
