import { PassThrough } from 'node:stream'
import type { Context } from 'koa'
import { readJson } from '../../../base/http/readJson.ts'
import { randomToken } from '../../../base/keyring.ts'
import { Problem } from '../../../base/problem.ts'
import { recordAudit } from '../../../database/tables/audit.ts'
import type { CommandHost, CommandRunner } from '../../serve/commandRunner.ts'
import { operatorPaths } from '../../serve/operatorFile.ts'
import { runCli } from '../program.ts'
import { commandIdHeader, commandLimits, type Frame, parseCommandAnswer, parseCommandRequest } from './frames.ts'
import { createRemoteTerminal, type RemoteTerminal } from './remoteTerminal.ts'

const maxCommands = 4

/** Creates the handler of authenticated requests: it runs commands on the service's own database, and takes the answers to their questions. */
export function createCommandRunner({ variables, database, service, log }: CommandHost): CommandRunner {
  const running = new Map<string, RemoteTerminal>()

  async function start(ctx: Context): Promise<void> {
    const request = parseCommandRequest(await readBounded(ctx))
    if (!request) throw new Problem('invalid_request', { description: 'The body is not a command.' })
    if (running.size >= maxCommands) {
      const description = `${maxCommands} commands are running: try again when one has ended.`
      throw new Problem('temporarily_unavailable', { description, headers: { 'Retry-After': '5' } })
    }
    const { args, operator, isInteractive } = request
    const [id, began, left] = [randomToken(128), performance.now(), new AbortController()]
    const response = new PassThrough()
    const terminal = createRemoteTerminal(response, { isInteractive, left: left.signal })
    running.set(id, terminal)
    ctx.res.once('close', () => left.abort())
    ctx.set(commandIdHeader, id)
    ctx.type = 'application/x-ndjson'
    ctx.body = response
    ctx.flushHeaders()
    const schools = new Set<string>()
    const onSchool = (schoolId: string): void => void schools.add(schoolId)
    const finished = async (): Promise<void> => {
      const exitCode = await runCli(args, { terminal, variables, userName: operator, database, service, signal: left.signal, onSchool })
      running.delete(id)
      const done = { operator, command: nameOf(args), exit_code: exitCode }
      log.info({ ...done, milliseconds: Math.round(performance.now() - began) }, 'operator command')
      await recordAudit(
        database.kysely,
        [...schools].map((school_id) => ({ school_id, event: 'operator.command', details: done })),
      ).catch((error: unknown) => log.error({ err: error, ...done }, 'operator command not recorded'))
      response.end(`${JSON.stringify({ exit: exitCode } satisfies Frame)}\n`)
    }
    void finished()
  }

  async function answer(ctx: Context, id: string): Promise<void> {
    const given = parseCommandAnswer(await readBounded(ctx))
    if (!given) throw new Problem('invalid_request', { description: 'The body is not an answer.' })
    if (!running.get(id)?.answer(given)) throw new Problem('not_found', { description: 'No running command waits for this answer.' })
    ctx.status = 204
  }

  return async (ctx) => {
    if (ctx.path === operatorPaths.commands) return await start(ctx)
    const id = answersPath.exec(ctx.path)?.[1]
    if (id === undefined) throw new Problem('not_found')
    await answer(ctx, id)
  }
}

const answersPath = /^\/operator\/v1\/commands\/([\w-]{16,64})\/answers$/

const readBounded = (ctx: Context): Promise<unknown> =>
  readJson(ctx, { types: ['application/json'], maxBytes: commandLimits.bytes, maxDepth: 3 })

/** The words of a command without its arguments, which can be personal data. */
const nameOf = (args: readonly string[]): string =>
  args
    .slice(0, 2)
    .filter((word) => /^[a-z-]{2,30}$/.test(word))
    .join(' ')
