import { readdirSync, readFileSync } from 'node:fs'

/** CPU time and memory of one process and of the stores, from Linux's /proc. */
export interface Usage {
  /** Seconds of CPU that the process and its children have used. */
  cpuSeconds: number
  memoryMegabytes: number
}

const ticksPerSecond = 100

/** Returns the usage of a process; all zero on a system without /proc. */
export function usageOf(pid: number): Usage {
  try {
    return { cpuSeconds: cpuOf(pid), memoryMegabytes: memoryOf(pid) }
  } catch {
    return { cpuSeconds: 0, memoryMegabytes: 0 }
  }
}

/** Returns the CPU seconds of every PostgreSQL and Redis server of this machine, ended sessions included. */
export function storesCpuSeconds(): number {
  let sum = 0
  try {
    for (const entry of readdirSync('/proc')) {
      if (!/^\d+$/.test(entry)) continue
      try {
        const name = readFileSync(`/proc/${entry}/comm`, 'utf8').trim()
        if (name === 'postgres' || name === 'redis-server') sum += cpuOf(Number(entry), name === 'postgres' && isPostmaster(entry))
      } catch {
        // The process has ended in the meantime.
      }
    }
  } catch {
    return 0
  }
  return sum
}

const isPostmaster = (pid: string): boolean => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('-D')

function cpuOf(pid: number, withEndedChildren = true): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  // Fields 14 to 17 of proc(5): user and system time of the process, then of its terminated children.
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number)
  return (user + system + (withEndedChildren ? childUser + childSystem : 0)) / ticksPerSecond
}

function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) / 1024
}
