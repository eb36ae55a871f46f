import { TestBed } from '@angular/core/testing';
import { describe, expect, it } from '@jest/globals';
import { Estimate, type EstimateValue } from './estimate.js';

async function shown(of: EstimateValue): Promise<string> {
  const fixture = TestBed.createComponent(Estimate);
  fixture.componentRef.setInput('of', of);
  await fixture.whenStable();
  return (fixture.nativeElement as HTMLElement).textContent.replace(/\s+/g, ' ').trim();
}

describe('an estimate', () => {
  const none = { low: null, high: null };

  it('shows half of its interval', async () => {
    expect(await shown({ value: 0.57, low: 0.553, high: 0.587 })).toBe('57.0 ± 1.7');
  });

  it('says why it has no interval', async () => {
    expect(await shown({ value: 0.57, ...none, why: 'too few examples' })).toBe('57.0 (too few examples)');
    expect(await shown({ value: 0.57, ...none })).toBe('57.0');
  });

  it('shows the band of a calibrated model', async () => {
    expect(await shown({ value: 0.041, ...none, band: { low: 0.02, high: 0.039 } })).toBe(
      '4.1 (calibrated: 2.0 to 3.9)',
    );
  });
});
