import { failure, usage } from './failures.ts'
import type { Terminal } from './terminal.ts'

interface YesOption {
  yes: true | undefined
}

/** Asks for confirmation. Any answer except yes cancels the command. */
export async function confirm(terminal: Terminal, question: string, options: YesOption): Promise<void> {
  if (options.yes) return
  if (!terminal.isInteractive) throw usage('this command asks for confirmation, and the input is not a terminal: add --yes')
  const answer = await terminal.ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw failure('nothing was changed')
}
