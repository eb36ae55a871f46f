/** The uncertainty of a place. Fields are null if the errors of the model are unknown. */
export interface RankInterval {
  /** The best rank of the 95% rank interval; `rankHigh` is the worst. */
  readonly rankLow: number | null;
  readonly rankHigh: number | null;
  /** P(rank 1): the share of draws in which the model is first. */
  readonly first: number | null;
  /** The number of consecutive rows below that are not separated from this one. */
  readonly tie: number;
}

export interface JointRanksInput {
  /** The Dynascore by place, descending. */
  readonly scores: ArrayLike<number>;
  /**
   * By place, the Dynascore in each draw of the joint bootstrap, all of one length; null if
   * unknown.
   */
  readonly resamples: readonly (Float64Array | Float32Array | null)[];
}
