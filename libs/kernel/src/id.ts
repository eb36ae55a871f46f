import { v7 } from 'uuid';

/** Returns a new identifier: a UUID version 7 (RFC 9562). IDs therefore sort by creation time. */
export const newId = (): string => v7();
