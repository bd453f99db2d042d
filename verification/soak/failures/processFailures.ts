import { until } from '../../../test/support/poll.ts'
import { anyFailure, type Failure, nothing } from './failure.ts'

/** Failures of the two processes. */
export const processFailures: Failure[] = [
  {
    name: 'kill -9',
    cause: 'SIGKILL to one process',
    undo: 'the process is started',
    allowed: anyFailure,
    holdMs: 4000,
    async run(installation, random) {
      const index = random.below(2)
      await installation.processes[index]?.kill()
      return () => installation.start(index)
    },
  },
  {
    name: 'SIGTERM',
    cause: 'SIGTERM to one process, as in a rolling restart',
    undo: 'the process is started',
    allowed: nothing,
    holdMs: 2000,
    async run(installation, random) {
      const index = random.below(2)
      await installation.stopProcess(index)
      return () => installation.start(index)
    },
  },
  {
    name: 'SIGHUP, valid',
    cause: 'another `docs_url` in the file of the school, and SIGHUP to both processes',
    undo: 'the former file, and SIGHUP',
    allowed: nothing,
    holdMs: 4000,
    async run(installation, random) {
      const docs = `https://docs${random.below(1e6)}.example.com`
      const reload = async (url: string): Promise<void> => {
        await installation.configure({ docs_url: url })
        for (const { child } of installation.processes) child.kill('SIGHUP')
        // nginx alternates between the processes.
        for (let times = 0; times < 6; times += 1)
          await until(async () => (await documents(installation.issuer)).includes(url), { what: `the documents to name ${url}` })
      }
      await reload(docs)
      return () => reload('https://docs.example.com')
    },
  },
  {
    name: 'SIGHUP, invalid',
    cause: 'an unknown key in the file of the school, and SIGHUP to both processes',
    undo: 'the former file, and SIGHUP',
    allowed: nothing,
    holdMs: 4000,
    async run(installation) {
      await installation.configure({ no_such_key: true })
      const before = installation.processes.map(failedReloads)
      for (const { child } of installation.processes) child.kill('SIGHUP')
      for (const [index, process] of installation.processes.entries())
        await until(() => failedReloads(process) > (before[index] ?? 0), { what: 'the failed reload in the log' })
      return async () => {
        await installation.configure()
        for (const { child } of installation.processes) child.kill('SIGHUP')
      }
    },
  },
]

const documents = async (issuer: string): Promise<string> => (await fetch(`${issuer}/.well-known/oauth-protected-resource`)).text()

const failedReloads = ({ output }: { output(): string }): number => output().split('configuration reload failed').length - 1
