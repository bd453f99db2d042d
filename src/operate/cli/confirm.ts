import { failure, usage } from './failures.ts'
import type { Terminal } from './terminal.ts'

interface YesOption {
  yes: true | undefined
}

/** Throws if the command needs confirmation and has no terminal. Call it before opening anything. */
export function requireAnswer({ isInteractive }: Terminal, { yes }: YesOption): void {
  if (!yes && !isInteractive) throw usage('this command asks for confirmation, and the input is not a terminal: add --yes')
}

/** Asks for confirmation. Any answer except yes cancels the command. */
export async function confirm(terminal: Terminal, question: string, options: YesOption): Promise<void> {
  requireAnswer(terminal, options)
  if (options.yes) return
  const answer = await terminal.ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw failure('nothing was changed')
}
