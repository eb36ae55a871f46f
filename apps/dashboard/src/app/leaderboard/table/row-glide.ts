/** Animates rows to their new position. Uses computed positions and never measures the page. */
export class RowGlide {
  private tops: ReadonlyMap<string, number> = new Map();

  /**
   * Moves rows to new positions.
   * @param tops the top of each row in CSS pixels, by model ID
   * @param milliseconds the duration of the animation; 0: none
   */
  moveTo(tops: ReadonlyMap<string, number>, elements: ReadonlyMap<string, HTMLElement>, milliseconds: number): void {
    for (const [id, top] of tops) {
      const before = this.tops.get(id);
      if (before === undefined || before === top || milliseconds === 0) continue;
      const from = `translateY(${before}px)`;
      elements.get(id)?.animate([{ transform: from }, { transform: `translateY(${top}px)` }], {
        duration: milliseconds,
        easing: 'ease-out',
      });
    }
    this.tops = tops;
  }
}
