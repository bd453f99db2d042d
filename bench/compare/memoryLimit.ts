import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A control group of Linux that limits the memory of a process, as a container does. It needs root. */
export interface MemoryLimit {
  /** Makes a command start within the limit. */
  around(command: readonly string[]): string[]
  /** The most memory that was in use, with the cache of files, in bytes, and how often the kernel ended a process. */
  report(): { peakBytes: number; kills: number }
  remove(): void
}

const old = '/sys/fs/cgroup/memory'
const unified = '/sys/fs/cgroup'

/** Creates a group with a limit in mebibytes. */
export function createMemoryLimit(mebibytes: number): MemoryLimit {
  const isOld = existsSync(join(old, 'memory.limit_in_bytes'))
  const group = join(isOld ? old : unified, `schoolgate-bench-${process.pid}`)
  mkdirSync(group)
  writeFileSync(join(group, isOld ? 'memory.limit_in_bytes' : 'memory.max'), String(mebibytes * 2 ** 20))
  const read = (file: string): string => readFileSync(join(group, file), 'utf8')
  return {
    around: (command) => ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs'), ...command],
    report: () => ({
      peakBytes: Number(read(isOld ? 'memory.max_usage_in_bytes' : 'memory.peak')),
      kills: Number(/^oom_kill (\d+)/m.exec(read(isOld ? 'memory.oom_control' : 'memory.events'))?.[1]),
    }),
    remove: () => rmdirSync(group),
  }
}
