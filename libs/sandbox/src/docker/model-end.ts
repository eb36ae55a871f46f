import { constants } from 'node:os';
import type Docker from 'dockerode';
import type { ModelFault } from '../sandbox.js';

/**
 * Returns how the main process of a model's container ended.
 * @param kills the number of its processes that the kernel killed because memory ran out
 */
export function endOf(state: Docker.ContainerInspectInfo['State'], kills: number, memoryLimit: number): ModelFault {
  // with cgroup v1 the engine reports OOMKilled when a child died too; with v2 it may not report it
  // at all
  if (state.OOMKilled || kills > 0) return { kind: 'exceeded', limit: 'memory', amount: memoryLimit };
  return exitOf(state.ExitCode);
}

/**
 * Returns whether the engine is removing the container, so that the removal may have ended it: a
 * sweep of another evaluator, or a person at a shell. The engine sets this state before it kills.
 */
export function isBeingRemoved({ Status, Dead }: Docker.ContainerInspectInfo['State']): boolean {
  return Status === 'removing' || Dead;
}

/** Returns the fault for an exit code in the convention of shells: 128 + n is death by signal n. */
export function exitOf(code: number): ModelFault {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return { kind: 'exited', code, ...(signal !== undefined && { signal }) };
}
