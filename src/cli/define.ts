import type { Command } from 'commander'

export interface Definition {
  /** The name and the arguments of the command: `show <client_id>`. */
  form: string
  about: string
  /** Command lines without the name of the program. */
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

/** Adds `--school SLUG`, for commands that work on one school. */
export const withSchoolOption = (command: Command): Command =>
  command.option('--school <slug>', 'the school; optional if there is only one')

/** Adds `--json`, for commands whose output scripts can read. */
export const asJson = (command: Command): Command => command.option('--json', 'print JSON instead of a table')

/** Adds `--yes`, for commands that ask for confirmation. */
export const withYesOption = (command: Command): Command => command.option('-y, --yes', 'do not ask for confirmation')

export interface SchoolOption {
  school?: string | undefined
}

export interface JsonOption {
  json?: boolean | undefined
}

export interface YesOption {
  yes?: boolean | undefined
}
