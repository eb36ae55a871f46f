import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Environment } from './environment.js';

const before = process.env;
beforeEach(() => {
  process.env = { DATABASE_URL: 'postgresql://localhost/assay' };
});
afterEach(() => {
  process.env = before;
});

it('lets everyone register by default', () => {
  expect(new Environment().registration).toBe('open');
});

it('requires a mail server to require confirmed mail addresses', () => {
  process.env['ASSAY_REGISTRATION'] = 'mail';
  expect(() => new Environment()).toThrow(
    'ASSAY_REGISTRATION=mail needs a mail server. Set SMTP_URL, or choose another mode.',
  );
  process.env['SMTP_URL'] = 'smtp://127.0.0.1';
  expect(new Environment().registration).toBe('mail');
});
