import type { YesOption } from './define.ts'
import { failure, usage } from './failures.ts'
import type { Terminal } from './terminal.ts'

/** Refuses at once, before anything is opened, what nobody could be asked about. */
export function requireAnswer({ isInteractive }: Terminal, { yes }: YesOption): void {
  if (!yes && !isInteractive) throw usage('this command asks before it changes anything, and there is no terminal to ask on: add --yes')
}

/** Asks whether to go on. Everything but a plain yes is a no. */
export async function confirm(terminal: Terminal, question: string, options: YesOption): Promise<void> {
  requireAnswer(terminal, options)
  if (options.yes) return
  const answer = await terminal.ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw failure('nothing was changed')
}
