// For: locks and leases.
export { holdAdvisoryLock, withAdvisoryLock } from './advisory-lock.js';
export { type Held, HostLock } from './host-lock.js';
export { HeldLeases, type LeaseTimes, RenewedLease } from './renewed-lease.js';
