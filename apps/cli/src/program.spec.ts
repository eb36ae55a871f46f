import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { program } from './program.js';

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

describe('the commands of assay', () => {
  it('each have an example in their help, which names the command', () => {
    const commands = leaves(program());
    expect(commands.length).toBeGreaterThan(30);
    const without = commands.filter(
      (command) => !new RegExp(`Example:\\n  assay [a-z ]*${command.name()}\\b`).test(helpOf(command)),
    );
    expect(without.map((command) => command.name())).toEqual([]);
  });

  it('each answer as JSON', () => {
    const without = leaves(program()).filter((command) => !helpOf(command).includes('--json'));
    expect(without.map((command) => command.name())).toEqual([]);
  });
});
