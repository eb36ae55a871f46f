// For: locks and leases.
export { holdAdvisoryLock, withAdvisoryLock } from './advisory-lock.js';
export { HeldLeases, LEASE_TIMES, type LeaseTimes, RenewedLease } from './renewed-lease.js';
