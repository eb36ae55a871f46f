/** Returns the references of an example. Without any, the empty answer is correct. */
export const squadReferences = (gold: readonly string[]): readonly string[] => (gold.length === 0 ? [''] : gold);
