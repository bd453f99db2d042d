import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { until } from '../../../test/support/poll.ts'
import { rootSecret } from '../../../test/support/process.ts'
import { type Failure, nothing, rejections } from './failure.ts'
import { schoolgate } from './schoolgate.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
const preload = pathToFileURL(join(root, 'test/support/movedClock.ts')).href

const jobs = [
  'forget_answers',
  'sweep_artifacts',
  'sweep_records',
  'sweep_outbox',
  'sweep_files',
  'remove_bytes',
  'expire_enrollments',
  'prune_clients',
]

/** Failures of the disk for files, and of the clock. */
export const otherFailures: Failure[] = [
  {
    name: 'disk for files full',
    cause: 'a file fills the disk of DATA_DIR',
    undo: 'it is deleted',
    allowed: rejections,
    holdMs: 6000,
    skipped: ({ disks }) => (disks ? undefined : 'this machine permits no mounts, so there is no small disk'),
    async run({ disks }) {
      const filler = join(disks?.files ?? '', 'filler')
      for (const bytes of [1 << 20, 1 << 12, 1]) await fillFile(filler, bytes)
      return () => rm(filler)
    },
  },
  {
    name: 'SECRET_KEY rotated',
    cause:
      'the processes restart one after the other with `old,new`, then with `new,old`, and `schoolgate secrets rotate` encrypts what is stored',
    undo: '–',
    allowed: nothing,
    holdMs: 0,
    async run(installation, random) {
      const { environment } = installation
      const [old] = (environment.SECRET_KEY ?? rootSecret).split(',')
      const fresh = `a secret for the rotation ${random.below(1e9)} that is long enough`
      for (const secrets of [`${old},${fresh}`, `${fresh},${old}`]) {
        environment.SECRET_KEY = secrets
        for (const index of [0, 1]) {
          await installation.stopProcess(index)
          await installation.start(index)
          const { admin = '' } = installation.processes[index] ?? {}
          const serves = async () =>
            /^schoolgate_requests_total\{.*"success".*\} [1-9]/m.test(await (await fetch(`${admin}/metrics`)).text())
          await until(serves, { what: 'nginx to use the process again' })
        }
      }
      await schoolgate(installation, 'secrets', 'rotate')
      const status = await schoolgate(installation, 'secrets', 'status')
      if (!status.includes('Secret 2 is not needed')) throw new Error(`values are left after the rotation: ${status}`)
      return async () => undefined
    },
  },
  {
    name: 'clock of a job moved',
    cause: '`schoolgate jobs run` of `expire_orders` and two other jobs, whose clock is 90 minutes ahead or behind',
    undo: '–',
    allowed: nothing,
    forgets: 'checkouts',
    holdMs: 0,
    async run({ environment, home }, random) {
      const minutes = random.pick([-90, 90])
      const chosen = ['expire_orders', ...random.shuffled(jobs).slice(0, 2)]
      const variables = { PATH: process.env.PATH, CONFIG_DIR: home.config, SECRET_KEY: rootSecret, RATE_LIMITS: 'off', ...environment }
      for (const job of chosen)
        await run(process.execPath, ['--import', preload, 'src/operate/cli/main.mjs', 'jobs', 'run', job], {
          cwd: root,
          env: { ...variables, MOVED_CLOCK_MINUTES: String(minutes) },
        })
      return async () => undefined
    },
  },
]

async function fillFile(path: string, bytes: number): Promise<void> {
  try {
    for (;;) await writeFile(path, Buffer.alloc(bytes), { flag: 'a' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error
  }
}
