import { SandboxUnavailable } from '@assay/sandbox';
import { DockerEngine } from '@assay/sandbox/docker';
import { installationFile } from '../connection/server.js';

/**
 * Returns the Docker engine for commands on this machine: the one in DOCKER_HOST, else the one on
 * the usual socket if it answers, else the one that the installation in the current folder uses.
 * Only a Unix socket is accepted from the installation's files: the folder in which a command is
 * started must not cause an image to leave this machine.
 *
 * @param usual the engine in DOCKER_HOST or on the usual socket
 */
export async function localEngine(usual = new DockerEngine()): Promise<DockerEngine> {
  if (process.env['DOCKER_HOST']) return usual;
  const installed = await installationFile('docker-host');
  if (!installed?.startsWith('unix://') || (await answers(usual))) return usual;
  return new DockerEngine(installed);
}

async function answers(engine: DockerEngine): Promise<boolean> {
  try {
    await engine.info();
    return true;
  } catch (error) {
    if (error instanceof SandboxUnavailable) return false;
    throw error;
  }
}
