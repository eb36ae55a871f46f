import { constants } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { relayUser, socketName, type ContainerPlan } from './container-settings.js';
import { nodeBinary, projectFolder } from './project-files.js';
import { sharedLibrariesOf } from './shared-libraries.js';

/** Where the relay and its socket lie inside a model's sandbox. */
const filesInside = '/run/assay-relay';
const socketInside = '/run/assay-socket';

/**
 * The relay of a gVisor sandbox. The loopback of such a sandbox lies inside it, so the relay is executed there too, as
 * another user than the model's, with a Node of its own from a read-only folder, because the image may have none.
 */
export class InnerRelay {
  private copied: Promise<string> | null = null;

  /** `root`: a folder of this host for the relay's files. */
  constructor(private readonly root: string) {}

  /** The mounts that a model's container needs; `folder` is that of its socket. */
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
