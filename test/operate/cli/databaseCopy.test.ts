import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../../src/operate/serve/programFile.mjs'
import { png } from '../../school/files/storageService.ts'
import { createAgent, get, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, throwawayPostgres } from '../../support/databases.ts'
import { until } from '../../support/poll.ts'
import { createHome, freePort, type Home, rootSecret, type ServiceProcess, startProcess } from '../../support/process.ts'
import { uploadFile } from '../../support/uploadFile.ts'
import { runProcess } from './bundledCli.ts'

const owner = 'keeper@example.com'
const password = 'correct horse battery staple'

describe.runIf((await availableServices()).postgresql)('schoolgate database copy', () => {
  let home: Home
  let port: number
  let target: { url: string; drop(): Promise<void> }
  let sql: Client
  let service: ServiceProcess
  const undo: (() => unknown)[] = []
  const variables = () => ({ CONFIG_DIR: home.config, DATA_DIR: home.data, SECRET_KEY: rootSecret, PORT: String(port) })
  const copy = (more: Record<string, string> = {}) =>
    runProcess(home.directory)({ args: ['database', 'copy', '--to', target.url], variables: { ...variables(), ...more }, input: '' })

  beforeAll(async () => {
    home = await createHome()
    undo.push(home.remove)
    port = await freePort()
    target = await throwawayPostgres({ migrated: false })
    undo.push(target.drop)
    sql = new Client({ connectionString: target.url })
    await sql.connect()
    undo.push(() => sql.end())
    service = await startProcess({ home, port, hasDemo: true })
    undo.push(() => service.kill())
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  test('moves an installation: sign-ins, tokens, keys and files work as before, although the command was killed in the middle', async () => {
    const { issuer } = service
    const created = await runProcess(home.directory)({
      args: ['people', 'create', owner, '--name', 'Ada Byron', '--role', 'owner', '--password-stdin'],
      variables: variables(),
      input: `${password}\n`,
    })
    expect(created, created.err).toMatchObject({ exitCode: 0 })
    const agent = await createAgent(issuer)
    const scope = 'openid account:read courses:read storage:write'
    // On a loaded machine a store may need longer than its limit: then the sign-in is repeated.
    const signIn = () =>
      until(async () => (await agent.tokens(personCalled(owner), { scope }, { scopes: 'all' })).body, { what: 'a sign-in' })
    const tokens = await signIn()
    const file = await uploadFile(issuer, tokens.access_token, png)
    const courses = (await get(`${issuer}/api/v1/courses`)).body
    const keys = (await get(`${issuer}/api/oauth/jwks`)).body

    expect(await copy()).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/the service runs on .*: stop it, then run this command again/),
    })
    expect((await sql.query('SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace')).rowCount).toBe(0)
    expect(await service.stop()).toBe(0)

    const child = spawn(process.execPath, ['src/operate/cli/main.mjs', 'database', 'copy', '--to', target.url], {
      cwd: root,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, HOME: process.env.HOME, RUN_FROM: 'bundle', ...variables() },
    })
    const ended = once(child, 'exit')
    const hasBegun = async (): Promise<boolean> =>
      child.exitCode !== null || ((await sql.query('SELECT FROM account LIMIT 1').catch(() => undefined))?.rowCount ?? 0) > 0
    await until(hasBegun, { what: 'the first rows of the copy' })
    child.kill('SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])

    const started = spawn(process.execPath, ['src/main.mjs'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        RUN_FROM: 'bundle',
        ...variables(),
        ADMIN_PORT: '0',
        DATABASE_URL: target.url,
      },
    })
    const [out, err] = await Promise.all([text(started.stdout), text(started.stderr), once(started, 'exit')])
    expect(out + err).toContain('run schoolgate database copy again')

    const again = await copy()
    expect(again, again.err).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^continued and copied: \d+ rows of \d+ tables, compared/),
    })
    expect(again.out).toContain(`The files stay in ${home.data}/files`)
    expect(await copy()).toMatchObject({ exitCode: 1, err: expect.stringContaining('the target belongs to another installation') })
    expect(await copy({ DATABASE_URL: target.url })).toMatchObject({ exitCode: 1, err: expect.stringContaining('DATABASE_URL is set') })

    service = await startProcess({ home, port, environment: { DATABASE_URL: target.url } })
    expect((await get(`${issuer}/api/oauth/jwks`)).body).toEqual(keys)
    expect((await get(`${issuer}/api/v1/courses`)).body).toEqual(courses)
    expect(Buffer.from(await (await fetch(file.url)).arrayBuffer())).toEqual(png)
    expect((await withToken(`${issuer}/api/v1/account`, tokens.access_token)).status).toBe(200)
    expect((await agent.refresh(tokens.refresh_token)).status).toBe(200)
    expect((await signIn()).access_token).toBeTypeOf('string')
  })
})
