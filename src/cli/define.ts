import type { Command } from 'commander'

export interface Definition {
  /** The name, and the arguments that it takes: `show <client_id>`. */
  form: string
  about: string
  /** Lines as they are typed, without the program's name. */
  examples: readonly [string, ...string[]]
}

/** Adds a command, or a group of commands, whose help ends with examples. */
export function define(parent: Command, { form, about, examples }: Definition): Command {
  const lines = examples.map((example) => `  $ schoolgate ${example}`)
  return parent
    .command(form)
    .description(about)
    .addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
}

/** `--school SLUG`, for commands that work on one school. */
export const ofSchool = (command: Command): Command =>
  command.option('--school <slug>', 'the school; may be left out where there is one only')

/** `--json`, for commands that print what a script may want to read. */
export const asJson = (command: Command): Command => command.option('--json', 'print JSON instead of a table')

/** `--yes`, for commands that ask first. */
export const unasked = (command: Command): Command => command.option('-y, --yes', 'do it without asking')

export interface SchoolOption {
  school?: string | undefined
}

export interface JsonOption {
  json?: boolean | undefined
}

export interface YesOption {
  yes?: boolean | undefined
}
