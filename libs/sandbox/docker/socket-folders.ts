import { chmod, chown, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { SandboxUnavailable } from '../src/sandbox.js';
import { socketName } from './container-settings.js';

/** Characters of a sandbox's id. */
export const SANDBOX_ID = 20;

/** Bytes that a Unix socket's address holds on Linux, its final zero included. */
const addressBytes = 108;

/**
 * The folders through which the host reaches its relays: `<root>/<sandbox>/s`. Nobody but this process's user gets into
 * `root`, so the folders inside can be open to whatever user the relay has; a model sees none of them. (One that could write
 * there could put a link to the engine's socket in the place of its own.)
 */
export class SocketFolders {
  /** @throws RangeError where paths under `root` would not fit into a socket's address */
  constructor(private readonly root: string) {
    const length = Buffer.byteLength(this.socket('0'.repeat(SANDBOX_ID))) + 1;
    if (length > addressBytes)
      throw new RangeError(`${root} is ${length - addressBytes} bytes too long for Unix sockets`);
  }

  folder(sandbox: string): string {
    return join(this.root, sandbox);
  }

  socket(sandbox: string): string {
    return join(this.folder(sandbox), socketName);
  }

  async make(sandbox: string): Promise<void> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    // under /tmp anybody may have been there first
    const { uid } = await lstat(this.root);
    if (uid !== userInfo().uid) throw new SandboxUnavailable(`${this.root} belongs to another user`);
    await chmod(this.root, 0o700);
    await mkdir(this.folder(sandbox));
    // not in mkdir, where the umask takes it back
    await chmod(this.folder(sandbox), 0o777);
  }

  /**
   * Leaves the folder to one user alone, for a relay that shares its container with the model.
   *
   * @throws SandboxUnavailable where this process may not do that
   */
  async giveTo(sandbox: string, user: number): Promise<void> {
    try {
      await chown(this.folder(sandbox), user, user);
      await chmod(this.folder(sandbox), 0o700);
    } catch (error) {
      throw new SandboxUnavailable('the runtime "runsc" needs an evaluator that runs as root', { cause: error });
    }
  }

  /** Those whose id begins with `prefix`. */
  async of(prefix: string): Promise<string[]> {
    try {
      return (await readdir(this.root)).filter((name) => name.length === SANDBOX_ID && name.startsWith(prefix));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  async remove(sandbox: string): Promise<void> {
    await rm(this.folder(sandbox), { recursive: true, force: true });
  }
}
