/**
 * The version of everything that scoring computes besides the values of metrics: intervals, random
 * draws, slices, calibration and perturbed figures. Increase it when the same predictions would get
 * other figures although no metric version changes. All evaluations are then scored again, on new
 * benchmark versions.
 */
export const SCORING_VERSION = 3;

/**
 * The version of the rules that compute a board from scores: which models are ranked, how values of
 * several datasets are combined, and how uncertain ranks are. Increase it when the same scores would
 * give another board. New benchmark versions then use the new rules, and boards of earlier ones keep
 * their bytes.
 */
export const BOARD_VERSION = 2;
