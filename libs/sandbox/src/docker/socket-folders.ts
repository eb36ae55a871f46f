import { chmod, chown, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { SandboxUnavailable } from '../sandbox.js';
import { socketName } from './container-settings.js';

/** The number of characters of a sandbox ID. */
export const SANDBOX_ID = 20;

/** The most bytes of a Unix socket address on Linux, including the final zero. */
const addressBytes = 108;

/**
 * The folders through which the host reaches its relays: `<root>/<sandbox>/s`. Only this process's
 * user can enter `root`, so the folders inside can be open to the user of the relay. Models see
 * none of these folders. (A model that could write to one could replace its socket with a link to
 * that of the engine.)
 */
export class SocketFolders {
  /** @throws RangeError if paths under `root` do not fit into a socket address */
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
    // under /tmp another user may have created it first
    const { uid } = await lstat(this.root);
    if (uid !== userInfo().uid) throw new SandboxUnavailable(`${this.root} belongs to another user`);
    await chmod(this.root, 0o700);
    await mkdir(this.folder(sandbox));
    // not in mkdir, where the umask would remove permissions
    await chmod(this.folder(sandbox), 0o777);
  }

  /**
   * Gives the folder to a single user, for a relay that shares its container with the model.
   *
   * @throws SandboxUnavailable if this process is not allowed to do that
   */
  async giveTo(sandbox: string, user: number): Promise<void> {
    try {
      await chown(this.folder(sandbox), user, user);
      await chmod(this.folder(sandbox), 0o700);
    } catch (error) {
      throw new SandboxUnavailable('the runtime "runsc" needs an evaluator that runs as root', { cause: error });
    }
  }

  /** Returns the sandbox IDs that have a folder and start with `prefix`. */
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
