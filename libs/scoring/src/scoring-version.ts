/**
 * The version of everything that scoring computes besides the values of metrics: intervals, random
 * draws, slices, calibration and perturbed figures. Increase it when the same predictions would get
 * other figures although no metric version changes. All evaluations are then scored again, on new
 * benchmark versions.
 */
export const SCORING_VERSION = 2;
