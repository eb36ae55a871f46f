import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Estimate } from '@assay/contracts/metrics';
import { type ModelKind, type ModelView } from '@assay/contracts/models';
import { type TaskDefinitionInput } from '@assay/contracts/tasks';
import { ensurePlatformImages, projectFolder } from '@assay/sandbox/docker';
import { expect } from '@jest/globals';
import { logText } from '../../../libs/sandbox/src/docker/container-log.js';
import { onnxRunnerImage } from '../../../sandboxes/onnx-runner/image.js';
import { probeImage } from '../../../sandboxes/probes/image.js';
import { relayImage } from '../../../sandboxes/relay/image.js';
import { COLLECTING, ProcessMemory } from '../../factories/measurement/collected-memory.js';
import { PLANTED_TAG } from '../../factories/hostile/hostile-images.js';
import { buildSubmissionImage } from '../../factories/models/submission-image.js';
import { orphanedBlobs } from '../../factories/worlds/orphaned-blobs.js';
import { ServiceWorld } from '../../factories/worlds/service-world.js';
import { Canaries } from './canaries.js';
import { LogWatch } from './log-watch.js';

/**
 * The permitted growth of the API and of the evaluator in bytes: after a hostile model has ended,
 * and at any moment before that. The peak depends on how much uncollected garbage there is, and so
 * on what else the machine does.
 */
const GROWTH = { kept: 64 << 20, peak: 128 << 20 } as const;
/** The memory in bytes of another scoring thread of the worker, which ends when it is idle. */
const SCORING_THREAD = 96 << 20;
/**
 * The permitted peak growth in bytes while an archive is read that is then refused: even of an
 * archive of 200 MB and more, only parts are in memory.
 */
export const READING_GROWTH = 64 << 20;
/**
 * The permitted peak growth of the engine in bytes. The engine also works for others. If it were
 * given 200 MB of JSON, it would need 800 MB.
 */
const ENGINE_GROWTH = 256 << 20;
/**
 * The time until everything that a model leaves is removed, in milliseconds. The regular sweep
 * removes what the engine was too busy to remove at once.
 */
const GONE_MILLISECONDS = 90_000;
const EXAMPLES = 200;
export const DATASET = 'lengths-of-texts';
export const HIDDEN_DATASET = 'more-lengths';
/**
 * The words in every text of the datasets of the task `secrets`, as the probe `taint` knows them.
 */
export const MARKERS = { readable: 'marker8203945', hidden: 'marker9731519' } as const;

/**
 * The time limits of the tasks in this world, in seconds. A request under gVisor may take longer,
 * because filling a page of memory takes many times as long there.
 */
export const ALLOWED = { start: 15, unready: 4, request: { runc: 6, runsc: 20 }, evaluation: 60 } as const;

export type Runtime = 'runc' | 'runsc';

/** The maximum number of model images that an evaluator leaves on its engine. */
const MAX_IMAGES = 16;
/** The time until an image that another process is loading has its name, in milliseconds. */
const NAMED_MILLISECONDS = 30_000;

/**
 * The networks, volumes and tags of the engine, except the tags of models, for a comparison before
 * and after.
 */
type Engine = Readonly<Record<'networks' | 'volumes' | 'images', readonly string[]>>;

/**
 * A complete service for hostile submissions, with everything that they must not affect: canaries
 * that listen on this host, the memory of the platform's processes, the engine's networks, volumes
 * and tags, and the scores of an honest model.
 *
 * Tasks: `parity` (a label), `unready` (the same with a short start), `texts`, `secrets` (the same
 * with a second dataset, which is hidden) and `numbers`.
 */
export class ProbeWorld {
  private honest = 0;
  private undisturbed: Readonly<Record<string, Estimate>> | undefined;
  private installed = '';
  private parityOfOther: Promise<string> | undefined;

  private constructor(
    readonly world: ServiceWorld,
    readonly canaries: Canaries,
    private readonly folder: string,
    readonly runtime: Runtime,
  ) {}

  /** @param runtime The runtime of the models of all tasks in this world. */
  static async start(runtime: Runtime = 'runc'): Promise<ProbeWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'assay-probes-'));
    const canaries = await Canaries.start();
    // one model at a time: another one would take part of the time that a probe has
    const world = await ServiceWorld.start({ ...COLLECTING, ASSAY_RUN_CONCURRENCY: '1' }).catch(
      async (error: unknown) => {
        await canaries.close();
        throw error;
      },
    );
    const probes = new ProbeWorld(world, canaries, folder, runtime);
    try {
      for (const task of tasks(runtime)) {
        await world.task(task);
        const { type } = task.output;
        const isSecret = task.slug === 'secrets';
        await world.dataset(
          task.slug,
          DATASET,
          'visibility=public',
          examples(type, isSecret ? MARKERS.readable : undefined),
        );
        if (!isSecret) continue;
        await world.dataset(task.slug, HIDDEN_DATASET, 'visibility=hidden', examples(type, MARKERS.hidden));
      }
      await probes.buildImage();
      await ensurePlatformImages(world.engine, [relayImage(projectFolder()), onnxRunnerImage(projectFolder())]);
      // runs twice, so that what the processes load and compile in the first run does not count as
      // growth in a later one
      probes.undisturbed = await probes.scoreOfHonest();
      await probes.scoreOfHonest();
      probes.installed = await probes.installedImage();
      await canaries.prove(world.engine, probes.installed);
    } catch (error) {
      await probes.close();
      throw error;
    }
    return probes;
  }

  /**
   * The path of a compressed docker-archive with all of `sandboxes/probes`, which is sent for each
   * probe.
   */
  get image(): string {
    return join(this.folder, 'probes.tar.zst');
  }

  /** The tag of `image` on the engine after its admission. */
  get modelImage(): string {
    return this.installed;
  }

  /**
   * All addresses of the canary in the engine's network and of the engine itself, in the format of
   * the probe `network`.
   */
  get forbidden(): string[] {
    return [
      ...this.canaries.addresses,
      'unix:/var/run/docker.sock',
      `unix:${(process.env['DOCKER_HOST'] ?? '').replace('unix://', '')}`,
    ];
  }

  /**
   * Submits a probe of `sandboxes/probes`.
   * @returns The model's ID.
   */
  send(command: readonly string[], task = 'parity', owner = this.world.builder): Promise<string> {
    const card = { name: command.join(' ').slice(0, 60), kind: 'container' as const, command: [...command] };
    return this.world.submit(task, card, this.image, owner);
  }

  async verdict(id: string, owner = this.world.builder): Promise<ModelView> {
    return (await this.world.untilFinal(id, owner)).model;
  }

  /**
   * Returns a task like `parity` whose models run under another runtime than that of this world.
   * Creates it at the first call.
   * @returns The slug of the task.
   */
  parityUnder(runtime: Runtime): Promise<string> {
    return (this.parityOfOther ??= this.createParityUnder(runtime));
  }

  /** Submits another kind of artifact to a task, and waits for the verdict. */
  async submit(submission: {
    readonly task?: string;
    readonly kind: ModelKind;
    readonly artifact: string | Uint8Array;
    readonly command?: readonly string[];
  }): Promise<ModelView> {
    const { task = 'parity', kind, artifact, command } = submission;
    const card = { name: command?.join(' ').slice(0, 60) ?? kind, kind, ...(command && { command: [...command] }) };
    return this.verdict(await this.world.submit(task, card, artifact));
  }

  /**
   * Returns the time from the claim of the model's run to its verdict in seconds, by the clock of
   * the database.
   */
  async secondsOfRun(id: string): Promise<number> {
    const [row] = await this.world.rows<{ seconds: number }>(
      `select extract(epoch from r.finished_at - r.started_at)::float8 as seconds
        from run r join model m on m.specification_id = r.specification_id where m.id = $1 and r.purpose = 'evaluation'`,
      [id],
    );
    return row!.seconds;
  }

  /**
   * Returns the time from the start of the model's first container to its verdict in seconds. Does
   * not include building its image.
   */
  async secondsInSandbox(id: string): Promise<number> {
    const [row] = await this.world.rows<{ run: string; started: Date; finished: Date }>(
      `select r.id as run, r.started_at as started, r.finished_at as finished
        from run r join model m on m.specification_id = r.specification_id where m.id = $1 and r.purpose = 'evaluation'`,
      [id],
    );
    const events = await this.world.engine.docker.getEvents({
      since: row!.started.getTime() / 1000,
      until: Date.now() / 1000,
      filters: { event: ['start'], label: [`assay.run=${row!.run}`, 'assay.role=model'] },
    });
    const lines = (await text(events)).trim().split('\n');
    const { timeNano } = JSON.parse(lines[0]!) as { timeNano: number };
    return (row!.finished.getTime() - timeNano / 1e6) / 1000;
  }

  /** Returns the log of the model, as its owner sees it. */
  async logOf(id: string, owner = this.world.builder): Promise<string> {
    const { body } = await this.world.expect(200, 'GET', `/models/${id}/logs`, { token: await this.world.user(owner) });
    return (body as { log: string }).log;
  }

  /** Observes the log settings of the containers of all models that start from now on. */
  watchLogs(): Promise<LogWatch> {
    return LogWatch.start(this.world);
  }

  /**
   * Submits a probe to a task whose loop takes it as the only target model.
   * @returns What the probe wrote while it was evaluated, and what it wrote until it was ready to
   * serve.
   */
  async logsInLoop(command: readonly string[]): Promise<{ readonly evaluated: string; readonly served: string }> {
    const { world } = this;
    await world.task({ ...tasks(this.runtime)[0]!, slug: 'loop', name: 'Even or odd, live', collection: {} });
    await world.dataset('loop', DATASET, 'role=static&visibility=public', examples('label'));
    const id = await this.send(command, 'loop');
    await this.verdict(id);
    const serving = async (): Promise<string> => {
      const { body } = await world.call('GET', '/tasks/loop/loop');
      return (body as { models: { serving?: { state: string } }[] }).models[0]?.serving?.state ?? '';
    };
    await world.until(async () => (await serving()) === 'ready', GONE_MILLISECONDS);
    const [container] = await world.engine.list([`assay.instance=${world.instance}`, 'assay.role=model']);
    const served = logText((await world.engine.logs(container!.Id))!, 64 * 1024);
    return { evaluated: await this.logOf(id), served };
  }

  /**
   * Runs `work`, and checks that it has done nothing that a submission must not do: leave something
   * on the host or in the engine, make the platform's processes grow, end one of them, or reach a
   * listener of the host.
   * @param growth The permitted peak growth of those processes in bytes.
   */
  async unharmed<T>(work: () => Promise<T>, growth: number = GROWTH.peak): Promise<T> {
    const { world } = this;
    const pidsNow = () => ({ api: world.api.pid, worker: world.worker.pid, evaluator: world.evaluator.pid });
    const pids = pidsNow();
    const beginnings = Object.entries(pids).map(([name, pid]) => ProcessMemory.begin(name, pid));
    const [memory, engineMemory, engine, untagged] = await Promise.all([
      Promise.all(beginnings),
      this.memoryOfEngine(),
      this.engine(),
      this.untagged(),
    ]);
    const swept = this.swept();
    const result = await work();

    const grown = await Promise.all(
      memory.map(async (each) => {
        const { name, peak } = each;
        const more = name === 'worker' ? SCORING_THREAD : 0;
        const kept = await each.kept(GROWTH.kept + more);
        return { name, peak, kept, isBounded: peak <= growth + more && kept <= GROWTH.kept + more };
      }),
    );
    expect(grown.filter(({ isBounded }) => !isBounded)).toEqual([]);
    expect(engineMemory?.peak ?? 0).toBeLessThan(ENGINE_GROWTH);
    await world.until(async () => (await world.residue()).length === 0, GONE_MILLISECONDS).catch(() => undefined);
    expect(await world.residue()).toEqual([]);
    expect(await orphanedBlobs({ home: world.home, rows: (query) => world.rows(query) })).toEqual([]);
    // each run has removed its own containers and files: no sweep had to
    expect(this.swept().slice(swept.length)).toEqual([]);
    expect(await this.engine()).toEqual(engine);
    expect(await this.strayTags()).toEqual([]);
    expect(await this.leftUntagged(new Set(untagged))).toEqual([]);
    expect(await this.canaries.heard()).toEqual([]);
    expect(pidsNow()).toEqual(pids);
    return result;
  }

  /**
   * Waits until nothing is left of a submission that has its verdict: its containers, files and
   * unfinished rows. A container with many processes may end later.
   * @returns A description of each leftover.
   */
  async leftBy(id: string): Promise<string[]> {
    let left: string[] = [];
    const isGone = async (): Promise<boolean> => {
      left = await this.stillThereOf(id);
      return left.length === 0;
    };
    await this.world.until(isGone, GONE_MILLISECONDS).catch(() => undefined);
    return left;
  }

  /**
   * Submits an honest model that really runs: another command gives another run specification,
   * whose answers cannot be reused.
   */
  sendHonest(): Promise<string> {
    this.honest++;
    return this.send(['honest', String(this.honest)]);
  }

  /** Checks that an honest model has exactly the same scores as before any hostile submission. */
  async honestScoresAsBefore(id?: string): Promise<void> {
    expect(await this.scoreOfHonest(id)).toEqual(this.undisturbed);
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    await this.canaries.close();
    await this.world.close();
  }

  private async createParityUnder(runtime: Runtime): Promise<string> {
    const slug = `parity-${runtime}`;
    await this.world.task({ ...tasks(runtime)[0]!, slug, name: `Even or odd, ${runtime}` });
    await this.world.dataset(slug, DATASET, 'visibility=public', examples('label'));
    return slug;
  }

  private async buildImage(): Promise<void> {
    await buildSubmissionImage(probeImage(join(import.meta.dirname, '../../..')), this.image);
  }

  /** Returns the tag of `image` on the engine, once a model of it has run. */
  private async installedImage(): Promise<string> {
    const [artifact] = await this.world.rows<{ digest: string }>('select digest from artifact');
    return `assay/model:${artifact!.digest}`;
  }

  private async stillThereOf(id: string): Promise<string[]> {
    const { world } = this;
    const runs = await world.rows<{ id: string; state: string; open: number; doubled: number }>(
      `select r.id, r.state,
         (select count(*)::int from evaluation e where e.run = r.id and e.state in ('queued', 'running')) as open,
         (select count(*)::int - count(distinct e.dataset_version_id)::int from evaluation e
           where e.specification_id = r.specification_id) as doubled
        from run r join model m on m.specification_id = r.specification_id where m.id = $1`,
      [id],
    );
    const each = runs.map(async (run) => {
      const containers = await world.engine.list([`assay.run=${run.id}`]);
      const rows = run.state === 'leased' || run.open > 0 || run.doubled > 0;
      return [
        ...containers.flatMap(({ Names }) => Names),
        ...[join(world.evaluatorHome(world.instance), 'work', world.instance, run.id)].filter((path) =>
          existsSync(path),
        ),
        ...(rows ? [`run ${run.id}: ${JSON.stringify(run)}`] : []),
      ];
    });
    return (await Promise.all(each)).flat();
  }

  private async scoreOfHonest(id?: string): Promise<Readonly<Record<string, Estimate>>> {
    const model = await this.verdict(id ?? (await this.sendHonest()));
    expect(model).toMatchObject({ state: 'scored', repeatability: { different: 0 } });
    return model.evaluations[0]!.metrics;
  }

  /**
   * Observes the memory of an engine that was started privately: its PID file is next to its
   * socket.
   */
  private async memoryOfEngine(): Promise<ProcessMemory | undefined> {
    const file = join(dirname((process.env['DOCKER_HOST'] ?? '').replace('unix://', '')), 'docker.pid');
    return existsSync(file) ? ProcessMemory.begin('engine', Number(readFileSync(file, 'utf8'))) : undefined;
  }

  /** Returns the log lines in which the evaluator reports leftovers of its runs. */
  private swept(): string[] {
    const lines = readFileSync(this.world.log('evaluator'), 'utf8').split('\n');
    return lines.filter((line) => /removed \d+ leftover sandboxes|left to the sweep/.test(line));
  }

  /**
   * Returns unexpected names of model images: those of refused artifacts, one that an archive tried
   * to set, and the count if there are too many. Other images of that name pattern may belong to
   * other users of the engine.
   */
  private async strayTags(): Promise<string[]> {
    const images = await this.world.engine.docker.listImages();
    const tags = new Set(images.flatMap(({ RepoTags }) => RepoTags ?? []));
    const here = (await this.world.modelTags()).filter(({ tag }) => tags.has(tag));
    const refused = here.filter(({ state }) => state !== 'admitted');
    return [
      ...refused.map(({ tag, state }) => `${tag} is ${state}`),
      ...(tags.has(PLANTED_TAG) ? [PLANTED_TAG] : []),
      ...(here.length > MAX_IMAGES ? [`${here.length} images of models`] : []),
    ];
  }

  /** Returns the IDs of images without a name, such as a failed load leaves behind. */
  private async untagged(): Promise<string[]> {
    const images = await this.world.engine.docker.listImages({ filters: { dangling: ['true'] } });
    return images.map(({ Id }) => Id);
  }

  /**
   * Returns the unnamed images that have appeared since and stay. Every image is unnamed for a
   * moment while it is loaded.
   */
  private async leftUntagged(before: ReadonlySet<string>): Promise<string[]> {
    let left = (await this.untagged()).filter((id) => !before.has(id));
    const isNone = async (): Promise<boolean> => {
      const now = new Set(left.length === 0 ? [] : await this.untagged());
      left = left.filter((id) => now.has(id));
      return left.length === 0;
    };
    await this.world.until(isNone, NAMED_MILLISECONDS).catch(() => undefined);
    return left;
  }

  /**
   * Returns the networks, the volumes, and all tags with their images. Leaves out those of models,
   * which stay by design, and those of other specs, which share the engine.
   */
  private async engine(): Promise<Engine> {
    const { docker } = this.world.engine;
    const [networks, { Volumes }, images] = await Promise.all([
      docker.listNetworks(),
      docker.listVolumes(),
      docker.listImages(),
    ]);
    const tags = images.flatMap(({ RepoTags, Id }) => (RepoTags ?? []).map((tag) => `${tag} ${Id}`));
    return {
      networks: networks.map(({ Id }) => Id).sort(),
      volumes: (Volumes ?? []).map(({ Name }) => Name).sort(),
      images: tags.filter((tag) => !/^assay\/model:|^assay-e2e\/|^<none>/.test(tag)).sort(),
    };
  }
}

const tasks = (runtime: Runtime): (TaskDefinitionInput & { readonly output: { readonly type: string } })[] => {
  const common = {
    inputs: [{ name: 'text', type: 'text' as const }],
    limits: {
      memory: runtime === 'runc' ? '160MiB' : '320MiB',
      pids: 64,
      startSeconds: ALLOWED.start,
      requestSeconds: ALLOWED.request[runtime],
      evaluationSeconds: ALLOWED.evaluation,
      artifact: '180MiB',
      unpacked: '180MiB',
    },
    quota: { perDay: 1000, total: 1000 },
    runtime,
  };
  const label = { name: 'label', type: 'label' as const, labels: ['even', 'odd'] };
  return [
    { ...common, slug: 'parity', name: 'Even or odd', output: label, performance: 'accuracy', metrics: ['macro_f1'] },
    {
      ...common,
      slug: 'unready',
      name: 'Even or odd, soon',
      output: label,
      performance: 'accuracy',
      limits: { ...common.limits, startSeconds: ALLOWED.unready },
    },
    {
      ...common,
      slug: 'texts',
      name: 'Say it',
      output: { name: 'said', type: 'text' as const },
      performance: 'exact_match',
    },
    {
      ...common,
      slug: 'secrets',
      name: 'Say it, but not all',
      output: { name: 'said', type: 'text' as const },
      performance: 'exact_match',
    },
    {
      ...common,
      slug: 'numbers',
      name: 'Count it',
      output: { name: 'count', type: 'number' as const },
      performance: 'rmse',
    },
  ];
};

/**
 * Examples with texts of many lengths, with a word at the end. Every fourth gold label is wrong.
 */
function examples(output: string, word?: string): string {
  return Array.from({ length: EXAMPLES }, (_, index) => {
    const text = `${index}${'x'.repeat(index % 17)}${word === undefined ? '' : ` ${word}`}`;
    const isEven = (text.length % 2 === 0) !== (index % 4 === 0);
    const gold = { label: { label: isEven ? 'even' : 'odd' }, text: { said: text }, number: { count: text.length } };
    return `${JSON.stringify({ id: index, text, ...gold[output as keyof typeof gold] })}\n`;
  }).join('');
}
