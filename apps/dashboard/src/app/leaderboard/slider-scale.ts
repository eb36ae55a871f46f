/** Where the sliders of all weights end: a round number that the largest of the task's is at most half of, and `weight` fits under. */
export function sliderEnd(official: readonly number[], weight: number): number {
  const least = Math.max(2 * Math.max(0, ...official), weight) || 1;
  const power = 10 ** Math.floor(Math.log10(least));
  // 9.999999 / 1 must not pass by 10
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9))!;
}
