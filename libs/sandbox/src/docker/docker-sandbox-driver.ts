import { createHash, randomBytes, randomInt } from 'node:crypto';
import { cpus, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { relayImage } from '../../../../sandboxes/relay/image.js';
import { partialArchive } from '../image-archive/partial-archive.js';
import {
  SandboxUnavailable,
  type InstallableImage,
  type ModelFault,
  type SandboxDriver,
  type SandboxSpecification,
  type StartOutcome,
} from '../sandbox.js';
import {
  containerName,
  label,
  modelContainer,
  relayContainer,
  relayUser,
  type ContainerPlan,
} from './container-settings.js';
import { sharedCores, shareOfCores, type CoreShare } from './core-allocator.js';
import { DockerEngine, isRefusal, refusal, type EngineInfo } from './docker-engine.js';
import { DockerSandbox } from './docker-sandbox.js';
import { EngineLayers } from './engine-layers.js';
import { hostIsQuiet } from './host-quiet.js';
import { HostView } from './host-view.js';
import { InnerRelay } from './inner-relay.js';
import { LayerPages } from './layer-pages.js';
import { exitOf } from './model-end.js';
import { ensurePlatformImages, type PlatformImage } from './platform-images.js';
import { projectFolder } from './project-files.js';
import { SANDBOX_ID, SocketFolders } from './socket-folders.js';

export interface DockerSandboxDriverOptions {
  /**
   * The name of this evaluator among those that share the engine. A sweep leaves the sandboxes of
   * the others alone, unless they are gone or past their deadline.
   */
  readonly instance: string;
  readonly engine?: DockerEngine;
  /** The folder of the relays' sockets: a short path on the engine's own host. */
  readonly socketFolder?: string;
  readonly log?: (message: string) => void;
}

interface Refused {
  readonly fault: ModelFault;
  readonly why: string;
}

/**
 * Matches the engine's messages about an unusable command, folder or root file system, and no
 * others.
 */
const faultyImage = /exec: "|exec format error|chdir to cwd|error mounting "tmpfs"|not a directory/;

/** Runs models on the Docker engine of this host. Passes `sandboxDriverContract`. */
export class DockerSandboxDriver implements SandboxDriver {
  private readonly engine: DockerEngine;
  private readonly sockets: SocketFolders;
  private readonly innerRelay: InnerRelay;
  private readonly hostView: HostView;
  private readonly pages: LayerPages;
  private readonly layers: EngineLayers;
  private readonly running = new Set<DockerSandbox>();
  private relay: Promise<PlatformImage> | null = null;
  private facts: Promise<EngineInfo> | null = null;
  /** Cores that starts of this process have allocated and that no container shows yet. */
  private readonly reserved = new Map<string, readonly number[]>();

  /** The ID prefix of all sandboxes of this instance, which identifies its folders on the host. */
  private readonly prefix: string;

  constructor(private readonly options: DockerSandboxDriverOptions) {
    this.prefix = prefixOf(options.instance);
    this.engine = options.engine ?? new DockerEngine();
    const root = options.socketFolder ?? join(tmpdir(), `assay-${userInfo().uid}`);
    this.sockets = new SocketFolders(root);
    this.innerRelay = new InnerRelay(root);
    this.hostView = new HostView(root);
    this.layers = new EngineLayers(this.engine);
    this.pages = new LayerPages(this.engine, options.log);
  }

  hardware({ limits, runtime }: Pick<SandboxSpecification, 'limits' | 'runtime'>): Promise<string> {
    const model = cpus()[0]?.model.trim().replaceAll(/\s+/g, ' ') ?? 'unknown CPU';
    return Promise.resolve(`${model} · ${limits.cpus} ${limits.cpus === 1 ? 'cpu' : 'cpus'} · ${runtime}`);
  }

  isQuiet(): Promise<boolean> {
    return hostIsQuiet();
  }

  async isInstalled(digest: string): Promise<boolean> {
    return (await this.engine.image(modelTag(digest))) !== null;
  }

  async install({ digest, archive }: InstallableImage): Promise<void> {
    try {
      await this.load(archive, (layers) => this.layers.present(layers));
    } catch (error) {
      if (error instanceof SandboxUnavailable) throw error;
      const why = `the container engine could not load ${archive}: ${(error as Error).message}`;
      throw new SandboxUnavailable(why, { cause: error });
    }
    if (!(await this.isInstalled(digest)))
      throw new SandboxUnavailable(`${archive} does not contain the image ${modelTag(digest)}`);
  }

  async uninstall(digest: string): Promise<void> {
    await this.engine.removeImage(modelTag(digest));
  }

  async countReadable(owners: readonly string[]): Promise<number> {
    const containers = await this.engine.list([`${label.role}=model`, `${label.data}=readable`]);
    return containers.filter(({ Labels }) => Labels[label.owners]?.split(',').some((owner) => owners.includes(owner)))
      .length;
  }

  async start(specification: SandboxSpecification, signal: AbortSignal): Promise<StartOutcome> {
    signal.throwIfAborted();
    await this.checkRuntime(specification.runtime);
    const relay = await this.relayImage();
    signal.throwIfAborted();

    const id = `${this.prefix}${randomBytes(6).toString('hex')}`;
    const share = await this.reserve(id, specification);
    const sandbox = this.assemble(id, specification, share);
    try {
      return await this.bringUp(sandbox, { id, instance: this.options.instance, specification, share }, relay, signal);
    } catch (error) {
      // the sweep removes what cannot be removed now; the original error is what matters
      await sandbox.stop().catch(() => undefined);
      throw isRefusal(error) ? unavailable(error) : error;
    }
  }

  async sweep(live: () => ReadonlySet<string>, gone: ReadonlySet<string> = new Set()): Promise<number> {
    const removed = new Set<string>();
    // the folders of these may be listed and then be removed
    const ending = [...this.running].map(({ id }) => id);
    // listed before the containers, because a folder is created before its container
    const instances = [this.options.instance, ...gone];
    const folders = (await Promise.all(instances.map((name) => this.sockets.of(prefixOf(name))))).flat();
    const containers = await this.engine.list([label.instance]);
    const alive = live();
    for (const { Id, Image, Labels } of containers) {
      if (!this.isOver(Labels, alive, gone)) continue;
      await this.engine.remove(Id);
      if (Labels[label.data] === 'hidden') await this.pages.evict(Image);
      const sandbox = Labels[label.sandbox] ?? Id;
      await this.sockets.remove(sandbox);
      removed.add(sandbox);
    }
    const known = new Set([
      ...containers.map(({ Labels }) => Labels[label.sandbox]),
      ...ending,
      ...[...this.running].map(({ id }) => id),
    ]);
    // left by a start whose process died before it created a container
    for (const folder of folders.filter((id) => !known.has(id))) {
      await this.sockets.remove(folder);
      removed.add(folder);
    }
    return removed.size;
  }

  async neighbours(): Promise<readonly string[]> {
    const containers = await this.engine.list([label.instance]);
    const instances = new Set(containers.flatMap(({ Labels }) => Labels[label.instance] ?? []));
    instances.delete(this.options.instance);
    return [...instances];
  }

  async close(): Promise<void> {
    const say = (sandbox: DockerSandbox) => (error: unknown) =>
      this.options.log?.(`sandbox ${sandbox.id} was not stopped and is left to the sweep: ${(error as Error).message}`);
    await Promise.all([...this.running].map((sandbox) => sandbox.stop().catch(say(sandbox))));
  }

  private async load(archive: string, present: (layers: readonly string[]) => Promise<number>): Promise<void> {
    const { content, size, leftOut } = await partialArchive(archive, present);
    try {
      await this.engine.load(content, size);
    } catch (error) {
      // the image that had the layers may have been removed meanwhile
      if ((await this.layers.present(leftOut)) === leftOut.length) throw error;
      await this.load(archive, () => Promise.resolve(0));
    }
  }

  private isOver(
    labels: Readonly<Record<string, string>>,
    live: ReadonlySet<string>,
    gone: ReadonlySet<string>,
  ): boolean {
    const instance = labels[label.instance] ?? '';
    // an instance knows which of its own runs are live, whatever the clock says
    if (instance === this.options.instance) return !live.has(labels[label.run] ?? '');
    return gone.has(instance) || Number(labels[label.deadline] ?? Infinity) < Date.now();
  }

  private assemble(id: string, { image, limits, data }: SandboxSpecification, share: CoreShare): DockerSandbox {
    const sandbox: DockerSandbox = new DockerSandbox({
      id,
      engine: this.engine,
      limits,
      share,
      socketPath: this.sockets.socket(id),
      dispose: async () => {
        const removals = await Promise.allSettled(
          [containerName(id, 'relay'), containerName(id, 'model')].map((name) => this.engine.remove(name)),
        );
        await this.sockets.remove(id);
        this.reserved.delete(id);
        this.running.delete(sandbox);
        for (const removal of removals) if (removal.status === 'rejected') throw removal.reason;
        if (data === 'hidden') await this.pages.evict(modelTag(image));
      },
    });
    this.running.add(sandbox);
    return sandbox;
  }

  private async bringUp(
    sandbox: DockerSandbox,
    plan: ContainerPlan,
    relay: PlatformImage,
    signal: AbortSignal,
  ): Promise<StartOutcome> {
    await this.sockets.make(plan.id);
    const inside = plan.specification.runtime === 'runsc';
    if (inside) await this.sockets.giveTo(plan.id, Number.parseInt(relayUser, 10));
    const folder = this.sockets.folder(plan.id);
    const mounts = inside
      ? await this.innerRelay.mounts(folder)
      : await this.hostView.mounts(plan.specification.limits);
    const model = await this.createModel(modelContainer(plan, mounts));
    if (typeof model !== 'string') return await this.failed(sandbox, model.fault, model.why);
    // created before the model runs, so that it does not add to the model's start time
    const relayed = inside ? null : (await this.engine.create(relayContainer(plan, relay.id, folder, model))).id;
    signal.throwIfAborted();

    const started = performance.now();
    const refused = await this.startModel(model);
    if (refused) return await this.failed(sandbox, refused.fault, refused.why);
    const relaying =
      relayed === null
        ? this.engine.execute(model, this.innerRelay.command(plan))
        : this.engine.start(relayed).then(() => sandbox.watchRelay(relayed));
    // a model that has already ended leaves nothing to join
    const joined = relaying.catch(async (error: unknown) => {
      if (!(await sandbox.hasEnded())) throw error;
    });
    await Promise.all([sandbox.watchModel(model), joined]);

    const fault = await sandbox.ready(signal);
    if (fault) return await this.failed(sandbox, fault, '');
    return { kind: 'ready', sandbox, coldStartMilliseconds: performance.now() - started };
  }

  private async createModel(options: Parameters<DockerEngine['create']>[0]): Promise<string | Refused> {
    try {
      return (await this.engine.create(options)).id;
    } catch (error) {
      if (isRefusal(error) && /no command specified/i.test(refusal(error)))
        return { fault: exitOf(127), why: refusal(error) };
      throw error;
    }
  }

  /**
   * Starts the model's container. Returns null when it runs. If the engine cannot execute what the
   * image names, the image is at fault, not the engine.
   */
  private async startModel(container: string): Promise<Refused | null> {
    try {
      await this.engine.start(container);
      return null;
    } catch (error) {
      if (!isRefusal(error) || !faultyImage.test(refusal(error))) throw error;
      const code = (await this.engine.inspect(container))?.State.ExitCode;
      return { fault: exitOf(code === undefined || code === 0 ? 127 : code), why: refusal(error) };
    }
  }

  private async failed(sandbox: DockerSandbox, fault: ModelFault, why: string): Promise<StartOutcome> {
    const log = [why, await sandbox.log()].filter(Boolean).join('\n');
    await sandbox.stop();
    return { ...fault, log };
  }

  private async reserve(id: string, { limits, cores }: SandboxSpecification): Promise<CoreShare> {
    const { NCPU } = await this.engineFacts();
    const containers = await this.engine.list([`${label.role}=model`]);
    const coresBy = (name: string): number[] =>
      containers.flatMap(({ Labels }) => Labels[name]?.split(',').map(Number) ?? []);
    const use = {
      total: NCPU,
      taken: new Set([...coresBy(label.cores), ...[...this.reserved.values()].flat()]),
      shared: new Set(coresBy(label.sharedCores)),
      random: () => randomInt(2 ** 32) / 2 ** 32,
    };
    const share = cores === 'shared' ? sharedCores(limits.cpus, use) : shareOfCores(limits.cpus, use);
    if (share.own) this.reserved.set(id, share.cores);
    return share;
  }

  private async checkRuntime(runtime: SandboxSpecification['runtime']): Promise<void> {
    const { Runtimes = {} } = await this.engineFacts();
    if (runtime in Runtimes) return;
    this.facts = null;
    throw new SandboxUnavailable(
      `the container engine has no runtime "${runtime}"; its runtimes are ${Object.keys(Runtimes).join(', ')}`,
    );
  }

  private engineFacts(): Promise<EngineInfo> {
    this.facts ??= this.engine.info().catch((error: unknown) => {
      this.facts = null;
      throw unavailable(error);
    });
    return this.facts;
  }

  private relayImage(): Promise<PlatformImage> {
    const { log } = this.options;
    this.relay ??= ensurePlatformImages(this.engine, [relayImage(projectFolder())], log ? { log } : {})
      .then(([image]) => image!)
      .catch((error: unknown) => {
        this.relay = null;
        throw unavailable(error);
      });
    return this.relay;
  }
}

/** The ID prefix shared by all sandboxes of an instance. */
function prefixOf(instance: string): string {
  return createHash('sha256')
    .update(instance)
    .digest('hex')
    .slice(0, SANDBOX_ID - 12);
}

function modelTag(digest: string): string {
  return `assay/model:${digest}`;
}

function unavailable(error: unknown): SandboxUnavailable {
  if (error instanceof SandboxUnavailable) return error;
  const why = isRefusal(error) ? refusal(error) : (error as Error).message;
  return new SandboxUnavailable(`the container engine rejected the request: ${why}`, { cause: error });
}
