// For: copies of tables.
export {
  copyTableIn,
  copyTableOut,
  inOrderOfReferences,
  sequencesToCopy,
  setSequence,
  tablesToCopy,
} from './table-copies.js';
