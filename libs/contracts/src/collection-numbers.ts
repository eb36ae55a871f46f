/** How well people do, by metric: one validator left out against the consensus of the others, over so many answers. */
export type HumanFigures = Readonly<
  Record<
    string,
    { readonly n: number; readonly value: number; readonly low: number | null; readonly high: number | null }
  >
>;
