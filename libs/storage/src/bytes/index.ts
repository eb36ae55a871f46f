// For: bytes in memory that arrive in pieces, and the time within which an artifact must be read.
export { GrowingBytes } from './growing-bytes.js';
export { readingSeconds, withinDeadline } from './reading-deadline.js';
