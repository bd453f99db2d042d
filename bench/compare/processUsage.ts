import { readdirSync, readFileSync } from 'node:fs'

/** CPU time and memory of one process, from Linux's /proc. */
export interface Usage {
  /** Seconds of CPU that the threads of the process have used. */
  cpuSeconds: number
  memoryMegabytes: number
}

/** Returns the usage of a process; all zero on a system without /proc. */
export function usageOf(pid: number): Usage {
  try {
    return { cpuSeconds: cpuOf(String(pid)), memoryMegabytes: memoryOf(pid) }
  } catch {
    return { cpuSeconds: 0, memoryMegabytes: 0 }
  }
}

/**
 * Returns the CPU seconds of a process and its children, such as the sessions of a PostgreSQL server; zero if it is on another machine. With
 * `databases`, only those of the sessions of these databases: a server can have other work.
 */
export function cpuOfFamily(parent: number, databases?: readonly string[]): number {
  let sum = 0
  for (const pid of processes()) {
    try {
      if (databases ? isSessionOf(pid, parent, databases) : pid === String(parent) || parentOf(pid) === parent) sum += cpuOf(pid)
    } catch {
      // The process has ended in the meantime.
    }
  }
  return sum
}

/** The title of a session names its database. */
function isSessionOf(pid: string, parent: number, databases: readonly string[]): boolean {
  if (parentOf(pid) !== parent) return false
  const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  return databases.some((name) => title.includes(name))
}

const processes = (): string[] => {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Returns the process that started this one; undefined if it is not of this machine. */
export function parentOf(pid: number | string): number | undefined {
  try {
    // Field 4 of proc(5), after the name in brackets.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  } catch {
    return undefined
  }
}

/** Sums the run time of the threads, which the scheduler counts in nanoseconds. */
function cpuOf(pid: string): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e9
}

function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) / 1024
}
