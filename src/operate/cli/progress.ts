import type { Terminal } from './terminal.ts'

const timeoutMs = 1000

/** Runs work, and reports the elapsed time after one second and then every ten seconds. */
export async function withProgress<Result>(terminal: Pick<Terminal, 'err'>, what: string, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now()
  let timer = setTimeout(function report() {
    const seconds = Math.round((performance.now() - start) / 1000)
    terminal.err(`${what} … (${seconds} s)\n`)
    timer = setTimeout(report, 10 * timeoutMs)
  }, timeoutMs)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}
