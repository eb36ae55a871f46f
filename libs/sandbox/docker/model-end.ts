import { constants } from 'node:os';
import type Docker from 'dockerode';
import type { ModelFault } from '../src/sandbox.js';

/** How the main process of a model's container ended. `kills`: what the kernel killed in it for want of memory. */
export function endOf(state: Docker.ContainerInspectInfo['State'], kills: number, memoryLimit: number): ModelFault {
  // with cgroup v1 the engine says OOMKilled when a child died too, and with v2 it may not say it at all
  if (state.OOMKilled || kills > 0) return { kind: 'exceeded', limit: 'memory', amount: memoryLimit };
  return exitOf(state.ExitCode);
}

/**
 * Whether the engine is removing the container, so that its end may be of the removal: another evaluator's sweep, or
 * someone at a shell. The engine says so before it kills.
 */
export function isBeingRemoved({ Status, Dead }: Docker.ContainerInspectInfo['State']): boolean {
  return Status === 'removing' || Dead;
}

/** An exit code as a shell tells it: 128 + n is the death by signal n. */
export function exitOf(code: number): ModelFault {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return { kind: 'exited', code, ...(signal !== undefined && { signal }) };
}
