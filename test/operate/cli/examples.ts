import type { Command } from 'commander'
import type { OperationCommands } from '../../../src/operate/cli/commands/call.ts'
import { createProgram } from '../../../src/operate/cli/program.ts'
import { openSession } from '../../../src/operate/cli/session.ts'

/** A command or a group of the program, as its help describes it. */
export interface Described {
  /** The words that lead to it. */
  path: string[]
  isGroup: boolean
  /** The long options. */
  options: string[]
  examples: Example[]
}

/** A command line of a help text. */
export interface Example {
  line: string
  args: string[]
  /** True if it reads a file as its standard input. */
  hasInput: boolean
}

const silent = {
  out: () => undefined,
  err: () => undefined,
  isInteractive: false,
  ask: () => Promise.reject(new Error('there is no terminal')),
  askSecretly: () => Promise.reject(new Error('there is no terminal')),
  readInput: () => Promise.resolve(''),
  save: () => Promise.resolve(),
}

/** Returns every command and group of the program, in its order. Those of `call` only if they are passed. */
export function describedCommands(operations?: OperationCommands): Described[] {
  const describe = (command: Command, path: string[]): Described[] => [
    ...(path.length > 0 ? [described(command, path)] : []),
    ...command.commands.flatMap((child) => describe(child, [...path, child.name()])),
  ]
  return describe(createProgram(openSession({ terminal: silent, variables: {}, userName: 'ops' }), operations), [])
}

function described(command: Command, path: string[]): Described {
  let help = ''
  command
    .configureOutput({
      writeOut(text) {
        help += text
      },
    })
    .outputHelp()
  const options = command.options.flatMap(({ long }) => long ?? [])
  return { path, isGroup: command.commands.length > 0, options, examples: examplesIn(help) }
}

/** Reads the examples at the end of a help text. */
export function examplesIn(help: string): Example[] {
  const lines = help.split('Examples:\n')[1]?.trimEnd().split('\n') ?? []
  return lines.map((text) => {
    const line = text.trim().replace(/^\$ schoolgate /, '')
    const words = line.replace(/ [<>] .*$/, '').matchAll(/"([^"]*)"|(\S+)/g)
    return { line, args: [...words].map(([, quoted, word]) => quoted ?? word ?? ''), hasInput: line.includes(' < ') }
  })
}
