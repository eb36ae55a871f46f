/** Lets rows that moved glide from where they were: by what was computed, nothing is measured. */
export class RowGlide {
  private tops: ReadonlyMap<string, number> = new Map();

  /** `tops`: where each row of `elements` begins now, by id, in CSS pixels; `milliseconds` as long as it takes. */
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
