import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Sends SIGSTOP or SIGCONT to a server and to its children: PostgreSQL serves each connection by one. */
export function suspend(child: ChildProcess | undefined, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const { pid } = child ?? {}
  if (pid === undefined || child?.exitCode !== null) return
  process.kill(pid, signal)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  for (const one of children.split(' ').filter(Boolean)) {
    try {
      process.kill(Number(one), signal)
    } catch {
      // It has ended in the meantime.
    }
  }
}
