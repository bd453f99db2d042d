import type { Terminal } from './terminal.ts'

const quietMs = 2000

/** A listener that says how far the work is, every two seconds at most. */
export function tellProgress({ err }: Pick<Terminal, 'err'>): (progress: { name: string; done: number; of: number }) => void {
  const start = performance.now()
  let told = start
  return ({ name, done, of }) => {
    const now = performance.now()
    if (now - told < quietMs) return
    told = now
    err(`${name}: ${done} of ${of} (${Math.floor((done * 100) / of)} %, ${Math.round((now - start) / 1000)} s)\n`)
  }
}
