import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A client in a separate process: it reads a line of JSON for each command, and answers with one. */
export interface Program {
  run<Result>(command: string, value?: string): Promise<Result>
  stop(): Promise<unknown>
}

/** Starts a client. Its environment has only PATH and the given variables. */
export function startProgram(command: string, programArguments: readonly string[], environment: Record<string, string>): Program {
  const child = spawn(command, programArguments, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...environment },
  })
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async run(name, value = '') {
      child.stdin.write(`${JSON.stringify({ command: name, value })}\n`)
      const { value: line, done } = await lines.next()
      if (done) throw new Error(`${programArguments.join(' ')} ended`)
      const { result, error } = JSON.parse(line)
      if (error !== undefined) throw new Error(error)
      return result
    },
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}
