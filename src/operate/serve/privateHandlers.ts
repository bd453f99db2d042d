import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { renderProblems } from '../../base/http/problems.ts'
import { isSame, type Keyring } from '../../base/keyring.ts'
import type { Log } from '../../base/log/log.ts'
import { Problem } from '../../base/problem.ts'
import { lazily } from '../../base/process/lazily.ts'
import type { Environment } from '../../config/environment.ts'
import type { Config } from '../../config/load.ts'
import { readPlatformKeys } from '../../config/secrets.ts'
import type { Database } from '../../database/connection/database.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import type { RedisConnection } from '../../database/redis/redis.ts'
import type { App } from '../compose/app.ts'
import { createPlatformHandler } from '../compose/platform.ts'
import type { CommandHost, Commands } from './commandRunner.ts'
import { operatorPaths, proofOf } from './operatorFile.ts'

export interface PrivateHandlerArguments {
  app: App
  environment: Environment
  /** The configuration of the start. `app.schools` is current. */
  config: Config
  database: Database
  redis: RedisConnection | undefined
  storage: FileStorage
  keyring: Keyring
  log: Log
  /** The operator's commands, which a service with the embedded database runs. */
  operator: Pick<OperatorHandlerArguments, 'key' | 'origin' | 'load' | 'variables' | 'service'> | undefined
}

/**
 * Creates the handlers of the private port that need the started service. A handler responds to the paths below its own prefix, calls
 * `next` for all others, and loads its code when the first of its requests arrives.
 */
export function createPrivateHandlers(service: PrivateHandlerArguments): readonly Middleware[] {
  const { operator, database, log } = service
  return [
    ...createPlatformHandler(service, readPlatformKeys(service.environment)),
    ...(operator ? [createOperatorHandler({ ...operator, database, log })] : []),
  ]
}

interface OperatorHandlerArguments extends CommandHost {
  key: string
  /** The origin of the private port, as the endpoint file names it. */
  origin: string
  load: Commands['load']
}

/**
 * The operator's commands on the private port: `/operator/v1`. Only processes of this machine that can read the key in the data directory
 * are served. Browsers are refused: `Host` must be the address itself, so that a rebound DNS name does not lead here, and no page may send
 * a request.
 */
function createOperatorHandler({ key, origin, load, ...host }: OperatorHandlerArguments): Middleware {
  const runner = lazily(async () => (await load())(host))
  const render = renderProblems(host.log)
  const handle = async (ctx: Context): Promise<void> => {
    ctx.set('Cache-Control', 'no-store')
    requireLocal(ctx.req)
    if (`http://${ctx.get('host')}` !== origin)
      throw new Problem('misdirected_request', { description: 'Host must be the private address.' })
    if (['origin', 'sec-fetch-site', 'referer'].some((name) => ctx.get(name) !== ''))
      throw new Problem('access_denied', { description: 'Browsers may not send requests here.' })
    if (ctx.method !== 'POST') throw new Problem('method_not_allowed', { headers: { Allow: 'POST' } })
    if (ctx.path === operatorPaths.identity) return prove(ctx, key)
    if (!isSame(ctx.get('authorization'), `Bearer ${key}`)) {
      host.log.warn({ address: ctx.req.socket.remoteAddress }, 'operator request with a wrong key refused')
      throw new Problem('access_denied', { description: 'The key is wrong: it is in operator.json in the data directory.' })
    }
    await (await runner())(ctx)
  }
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/operator/')) return await next()
    await render(ctx, () => handle(ctx))
  }
}

/** Proves knowledge of the key, so that a command is not sent to another program that listens on the port now. */
function prove(ctx: Context, key: string): void {
  const nonce = ctx.get('x-nonce')
  if (!/^[\w-]{22,64}$/.test(nonce)) throw new Problem('invalid_request', { description: 'X-Nonce must have 22 to 64 characters.' })
  ctx.body = { proof: proofOf(key, nonce) }
}

/** @throws Problem not_found for requests of other machines, as if there were nothing here */
function requireLocal({ socket }: IncomingMessage): void {
  const { remoteAddress = '', localAddress } = socket
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(remoteAddress)
  if (!isLoopback && remoteAddress !== localAddress) throw new Problem('not_found')
}
