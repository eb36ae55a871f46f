import { constants } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { relayUser, socketName, type ContainerPlan } from './container-settings.js';
import { nodeBinary, projectFolder } from './project-files.js';
import { sharedLibrariesOf } from './shared-libraries.js';

/** The folders of the relay and of its socket inside a model's sandbox. */
const filesInside = '/run/assay-relay';
const socketInside = '/run/assay-socket';

/**
 * The relay of a gVisor sandbox. Such a sandbox has its own loopback, so the relay runs inside it,
 * as another user than the model, with its own Node from a read-only folder, because the image may
 * have none.
 */
export class InnerRelay {
  private copied: Promise<string> | null = null;

  /** @param root a folder of this host for the relay's files */
  constructor(private readonly root: string) {}

  /**
   * Returns the mounts that a model's container needs.
   * @param folder the folder of the sandbox's socket
   */
  async mounts(folder: string): Promise<NonNullable<NonNullable<ContainerCreateOptions['HostConfig']>['Mounts']>> {
    this.copied ??= copyFiles(this.root).catch((error: unknown) => {
      this.copied = null;
      throw error;
    });
    return [
      { Type: 'bind', Source: await this.copied, Target: filesInside, ReadOnly: true },
      { Type: 'bind', Source: folder, Target: socketInside, ReadOnly: false },
    ];
  }

  command({ specification }: ContainerPlan): { readonly Cmd: string[]; readonly User: string } {
    const node = [
      `${filesInside}/loader`,
      '--library-path',
      filesInside,
      `${filesInside}/node`,
      '--max-old-space-size=48',
    ];
    return {
      Cmd: [...node, `${filesInside}/relay.mjs`, `${socketInside}/${socketName}`, String(specification.port)],
      User: relayUser,
    };
  }
}

async function copyFiles(root: string): Promise<string> {
  const node = await nodeBinary();
  const files = new Map([
    ['node', node],
    ['relay.mjs', join(projectFolder(), 'sandboxes', 'relay', 'relay.mjs')],
  ]);
  for (const library of await sharedLibrariesOf([node])) {
    files.set(basename(library).startsWith('ld-linux') ? 'loader' : basename(library), library);
  }

  const folder = join(root, 'relay-files');
  const fresh = `${folder}-${process.pid}`;
  await mkdir(fresh, { recursive: true, mode: 0o755 });
  for (const [name, source] of files) await copyFile(source, join(fresh, name), constants.COPYFILE_FICLONE);
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
  return folder;
}
