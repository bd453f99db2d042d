import type { Terminal } from './terminal.ts'

const quietMs = 2000

/** Returns a listener that prints the progress of work, at most every two seconds. */
export function reportProgress({ err }: Pick<Terminal, 'err'>): (progress: { name: string; done: number; of: number }) => void {
  const start = performance.now()
  let reportedAt = start
  return ({ name, done, of }) => {
    const now = performance.now()
    if (now - reportedAt < quietMs) return
    reportedAt = now
    err(`${name}: ${done} of ${of} (${Math.floor((done * 100) / of)} %, ${Math.round((now - start) / 1000)} s)\n`)
  }
}
