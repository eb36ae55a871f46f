// For: bytes in memory, where they arrive in pieces.
export { GrowingBytes } from './growing-bytes.js';
