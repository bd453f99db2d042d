import { type Command, Option } from 'commander'
import { confirm } from './confirm.ts'
import { DryRunEnd, type Effects, runDry } from './dryRun.ts'
import type { Session } from './session.ts'
import { type Listed, printList, printOne } from './table.ts'

/** An option with the type of its value. Its flag follows from its name: `dryRun` is `--dry-run`. */
export interface OptionOf<Value> {
  create(long: string): Option
  readonly value?: Value
}

type Options = Readonly<Record<string, OptionOf<unknown>>>
type Values<Of extends Options> = { [Name in keyof Of]: Of[Name] extends OptionOf<infer Value> ? Value : never }

/** The arguments of a name such as `set-role <person> <role>`, or `revoke [id]`. */
type Arguments<Name extends string> = Name extends `${string} ${infer Rest}`
  ? [Rest extends `[${string}` ? string | undefined : string, ...Arguments<Rest>]
  : []

export const flag = (about: string, short?: string): OptionOf<true | undefined> => ({
  create: (long) => new Option(short ? `${short}, ${long}` : long, about),
})

export const text = (value: string, about: string): OptionOf<string | undefined> => ({
  create: (long) => new Option(`${long} <${value}>`, about),
})

export const texts = (value: string, about: string): OptionOf<string[] | undefined> => ({ create: text(`${value}...`, about).create })

export const repeatable = (value: string, about: string): OptionOf<string[] | undefined> => ({
  create: (long) =>
    text(value, about)
      .create(long)
      .argParser((one: string, all: string[] = []) => [...all, one]),
})

export const choice = <const Value extends string>(
  value: string,
  about: string,
  choices: readonly Value[],
): OptionOf<Value | undefined> => ({ create: (long) => text(value, about).create(long).choices(choices) })

export const parsed = <Value>(
  value: string,
  about: string,
  parse: (text: string, option: string) => Value,
): OptionOf<Value | undefined> => ({
  create: (long) =>
    text(value, about)
      .create(long)
      .argParser((sent: string) => parse(sent, long)),
})

export const required = <Value>({ create }: OptionOf<Value>): OptionOf<Exclude<Value, undefined>> => ({
  create: (long) => create(long).makeOptionMandatory(),
})

export const withDefault = <Value>({ create }: OptionOf<Value>, value: Exclude<Value, undefined>): OptionOf<Exclude<Value, undefined>> => ({
  create: (long) => create(long).default(value),
})

export const schoolOption = { school: text('slug', 'the school; optional if there is only one') }
export const jsonOption = { json: flag('print JSON instead of a table') }
export const dryRunOption = { dryRun: flag('change nothing: only print how many rows would be deleted, changed and added') }
export const yesOption = { yes: flag('do not ask for confirmation', '-y') }
/** The options of commands that remove or end something, or change it for good. */
export const removalOptions = { ...yesOption, ...dryRunOption }
export const referenceOption = { reference: text('text', 'your identifier: a repeated command with the same one changes nothing') }

/** The session of one run of a command: `--school`, `--yes`, `--json` and `--dry-run` are applied. */
export interface CommandSession extends Session {
  school(slug?: string): ReturnType<Session['school']>
  schoolToFill(slug?: string): ReturnType<Session['schoolToFill']>
  configuredSchool(slug?: string): ReturnType<Session['configuredSchool']>
  confirm(question: string): Promise<void>
  printList(rows: readonly Listed[], print: { columns: readonly string[]; empty: string }): void
  printOne(row: Listed): void
  /** Ends a dry run. Required before work that is not a transaction of the session: files, Redis, another process. */
  endDryRun(count: () => Effects | Promise<Effects>): Promise<void>
}

interface About<Name extends string = string> {
  name: Name
  summary: string
  /** Command lines without the name of the program. */
  examples: readonly [string, ...string[]]
}

export interface Declaration<Name extends string, Of extends Options> extends About<Name> {
  options?: Of
  /** The values of arguments that have few, by their names. */
  choices?: Readonly<Record<string, readonly string[]>>
  /** True if the command makes its dry run itself: `run` gets the option. */
  hasOwnDryRun?: true
  run(session: CommandSession, options: Values<NoInfer<Of>>, ...args: Arguments<Name>): unknown
}

export type AddCommand = (parent: Command, session: Session) => void

/** Declares a command. Its options, arguments, help and errors follow from the declaration. */
export const command =
  <const Name extends string, Of extends Options = Record<never, never>>(declared: Declaration<Name, Of>): AddCommand =>
  (parent, session) => {
    const added = addTo(parent, declared)
    for (const [name, option] of Object.entries(declared.options ?? {})) added.addOption(option.create(flagOf(name)))
    for (const argument of added.registeredArguments) {
      const values = declared.choices?.[argument.name()]
      if (values) argument.choices(values)
    }
    added.action(async (...args: Arguments<Name>) => {
      const options = added.opts<Values<Of>>()
      const { school, yes, json, dryRun } = added.opts<Values<typeof shared>>()
      const bind = (opened: Session): CommandSession => ({
        ...opened,
        school: (slug = school) => opened.school(slug),
        schoolToFill: (slug = school) => opened.schoolToFill(slug),
        configuredSchool: (slug = school) => opened.configuredSchool(slug),
        confirm: (question) => confirm(opened.terminal, question, { yes: yes ?? dryRun }),
        printList: (rows, print) => printList(opened.terminal, rows, { json, ...print }),
        printOne: (row) => printOne(opened.terminal, row, { json }),
        async endDryRun(count) {
          if (dryRun) throw new DryRunEnd(await count())
        },
      })
      if (!dryRun || declared.hasOwnDryRun) {
        await declared.run(bind(session), options, ...args)
        return
      }
      const rows = await runDry(session, (dry) => declared.run(bind(dry), options, ...args))
      bind(session).printList(rows, { columns: ['table', 'deleted', 'changed', 'added'], empty: 'nothing would be changed' })
      session.terminal.err('dry run: nothing was changed\n')
    })
  }

const shared = { ...schoolOption, ...jsonOption, ...removalOptions }

/** Declares a group of commands, in the order of its help. */
export const group =
  (about: About, commands: readonly AddCommand[]): AddCommand =>
  (parent, session) => {
    const added = addTo(parent, about)
    for (const add of commands) add(added, session)
  }

function addTo(parent: Command, { name, summary, examples }: About): Command {
  const lines = examples.map((example) => `  $ schoolgate ${example}`)
  return parent
    .command(name)
    .description(summary)
    .addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
}

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
