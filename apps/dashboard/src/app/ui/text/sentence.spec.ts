import { TestBed } from '@angular/core/testing';
import { expect, it } from '@jest/globals';
import { Sentence } from './sentence.js';

async function shown(text: string): Promise<HTMLElement> {
  const fixture = TestBed.createComponent(Sentence);
  fixture.componentRef.setInput('of', text);
  await fixture.whenStable();
  return fixture.nativeElement as HTMLElement;
}

it('shows what stands between backticks as code', async () => {
  const element = await shown('Ask the owner for more in `limits.memory`, or use less.');
  expect(element.textContent).toBe('Ask the owner for more in limits.memory, or use less.');
  expect([...element.querySelectorAll('code')].map(({ textContent }) => textContent)).toEqual(['limits.memory']);
});

it('leaves a single backtick as it is', async () => {
  const element = await shown("The answer is '`'.");
  expect(element.textContent).toBe("The answer is '`'.");
  expect(element.querySelector('code')).toBeNull();
});
