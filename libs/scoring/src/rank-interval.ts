/** How sure a place is. Null where nothing is known of the model's errors. */
export interface RankInterval {
  /** Best rank of the central 95%. */
  readonly rankLow: number | null;
  readonly rankHigh: number | null;
  /** P(rank 1). */
  readonly first: number | null;
  /** How many rows that follow without a break are not separated from this one. */
  readonly tie: number;
}

export interface JointRanksInput {
  /** The Dynascore by place, descending. */
  readonly scores: ArrayLike<number>;
  /** By place, the Dynascore in each draw of the joint bootstrap, all of one length; null where it is not known. */
  readonly resamples: readonly (Float64Array | Float32Array | null)[];
}
