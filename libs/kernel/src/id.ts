import { v7 } from 'uuid';

/** A new identifier: UUID version 7, so that ids sort by the time they were made (RFC 9562). */
export const newId = (): string => v7();
