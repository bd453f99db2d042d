import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyring } from '../../src/base/keyring.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { addAuthenticator, openVisitor, signIn, type Visitor } from '../browser/visitor.ts'
import { send } from '../pages/account/account.ts'
import { type Answer, type Browser, createBrowser } from '../pages/browser.ts'
import { hasChromium } from '../support/chromium.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'
import { addPerson, password } from '../support/service.ts'

const { postgresql } = await availableServices()
const root = resolve(import.meta.dirname, '../..')
const [older, newer, newest] = ['the first', 'the second', 'the third'].map((name) => `${name} root secret that is long enough to be taken`)
const email = 'ada@example.org'

/** The shell commands of docs/deploy.md that are marked with this name. */
async function documented(name: string): Promise<string[]> {
  const page = await readFile(join(root, 'docs/deploy.md'), 'utf8')
  const [, commands = ''] = new RegExp(`\`\`\`sh run=${name}\\n(.*?)\`\`\``, 's').exec(page) ?? []
  expect(commands).toMatch(/^schoolgate /)
  return commands.trim().split('\n')
}

describe.runIf(postgresql)('the rotation of SECRET_KEY, with the commands of docs/deploy.md and two processes', () => {
  let home: Home
  let database: Database
  const processes: ServiceProcess[] = []
  let postgres: Awaited<ReturnType<typeof throwawayPostgres>>
  let ports: number[]
  let visitor: Visitor | undefined
  let [appSecret, codes]: [string, string[]] = ['', []]
  /** Codes of release 1.0.0. */
  const earlier = ['22223333aaaa', '22223333bbbb', '22223333cccc']
  const environmentOf = (secrets: string, port: number) => ({
    ...{ DATABASE_URL: postgres.url, DEMO: 'off', SECRET_KEY: secrets, BASE_URL: `http://localhost:${port}` },
  })
  /** Restarts one process after the other, as a gateway needs it. */
  const restart = async (secrets: string): Promise<void> => {
    for (const [index, port] of ports.entries()) {
      await processes[index]?.stop()
      processes[index] = await startProcess({ home: home, port, environment: environmentOf(secrets, port) })
    }
  }
  const schoolgate = async (line: string, secrets: string): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['src/operate/cli/main.mjs', ...line.split(' ').slice(1)], {
      cwd: root,
      env: {
        ...{ PATH: process.env.PATH, RUN_FROM: 'bundle', CONFIG_DIR: home.config, DATA_DIR: home.data },
        ...environmentOf(secrets, ports[0] ?? 0),
      },
    })
    return stdout
  }
  const addressOf = (index: number): string => `http://localhost:${ports[index]}`
  const atSecondStep = async (index: number): Promise<{ browser: Browser; page: Answer }> => {
    const browser = createBrowser(addressOf(index))
    return { browser, page: await browser.follow(await send(browser, await browser.get('/account/sign-in'), { email, password })) }
  }
  /** Returns the status of a sign-in with the password and a code: 303 if it succeeds. */
  const signInWith = async (index: number, code: string): Promise<number> => {
    const { browser, page } = await atSecondStep(index)
    return (await send(browser, page, { code })).status
  }
  const appCode = (offset = 0) =>
    new TOTP({ secret: appSecret, algorithm: 'SHA1', digits: 6, period: 30 }).generate({ timestamp: Date.now() + offset * 1000 })
  /** Lets the code of the current time step be used again. */
  const forgetStep = () => database.sql.query('UPDATE authenticator_app SET last_step = 0')
  const withPasskey = async (index: number): Promise<void> => {
    const page = visitor?.page
    if (!page) return
    await page.context().clearCookies()
    await page.goto(`${addressOf(index)}/account/sign-in?step=passkey`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL('**/account')
  }
  const everyFactor = async (): Promise<void> => {
    for (const index of [0, 1]) {
      await forgetStep()
      expect(await signInWith(index, appCode())).toBe(303)
      expect(await signInWith(index, codes.pop() ?? '')).toBe(303)
      await withPasskey(index)
    }
  }

  beforeAll(async () => {
    postgres = await throwawayPostgres()
    ports = [await freePort(), await freePort()]
    home = await createHome()
    await restart(older ?? '')
    database = await openDatabase({ databaseUrl: postgres.url, dataDirectory: tmpdir(), poolSize: 2 })
    const [school] = await database.sql.query<{ id: string }>('SELECT id FROM school')
    const { accountId } = await addPerson(database, school?.id ?? '', email, 'learner')
    if (hasChromium()) {
      visitor = await openVisitor()
      await addAuthenticator(visitor.page)
      await visitor.page.goto(`${addressOf(0)}/account/sign-in?return_to=/account/security/passkey`)
      await signIn(visitor.page, email, password)
      await visitor.page.getByLabel('Name of the passkey').fill('My laptop')
      await visitor.page.getByRole('button', { name: 'Create the passkey' }).click()
      await visitor.page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
      await visitor.page.goto(`${addressOf(0)}/account/security/app`)
      appSecret = ((await visitor.page.locator('output').first().textContent()) ?? '').replaceAll(' ', '')
      await visitor.page.locator('#code').fill(appCode(-30))
      await visitor.page.locator('button.main').click()
      await visitor.page.waitForURL((url) => !url.pathname.endsWith('/app'))
      await visitor.page.goto(`${addressOf(0)}/account/security`)
      await visitor.page.locator('form[action*="recovery-codes"] button').click()
      codes = await visitor.page.locator('code').allTextContents()
    }
    const old = createKeyring([older ?? ''])
    for (const code of earlier)
      await database.sql.query('INSERT INTO recovery_code (school_id, account_id, hash) VALUES ($1, $2, $3)', [
        ...[school?.id, accountId, old.sign('recovery codes', `${accountId} ${code}`)],
      ])
    // Release 1.0.0 wrote no ids.
    await database.sql.query(`UPDATE authenticator_app SET secret = split_part(secret, '=', 1)`)
    await database.sql.query(`UPDATE signing_key SET private_jwk = split_part(private_jwk, '=', 1)`)
  }, 300_000)
  afterAll(async () => {
    await visitor?.close()
    for (const one of processes) await one.kill()
    await database?.close()
    await postgres?.drop()
    await home?.remove()
  })

  test.runIf(hasChromium())(
    'once a year: nobody is locked out, with an authenticator app, a passkey, or recovery codes of this release and of 1.0.0',
    async () => {
      expect(codes).toHaveLength(10)
      // Both processes open what the other seals while they are restarted.
      await restart(`${older},${newer}`)
      await restart(`${newer},${older}`)
      await everyFactor()
      const [rotate = '', status = '', ...rest] = await documented('rotate-secrets')
      expect(rest).toEqual([])
      expect(await schoolgate(status, `${newer},${older}`)).toContain('Secret 2 is needed for')
      expect(await schoolgate(rotate, `${newer},${older}`)).toMatch(/^[1-9]\d* values are sealed again/)
      expect(await schoolgate(rotate, `${newer},${older}`)).toMatch(/^0 values are sealed again/)
      expect(await schoolgate(status, `${newer},${older}`)).toContain('Secret 2 is not needed for any stored value')
      await restart(newer ?? '')
      await everyFactor()
      expect(await signInWith(1, earlier[0] ?? '')).toBe(303)
      const counts = JSON.parse(await schoolgate('schoolgate secrets status --json', newer ?? ''))
      expect(counts.filter(({ older: old, lost }: { older: number; lost: number }) => old + lost > 0)).toEqual([])
    },
    300_000,
  )

  test.runIf(hasChromium())(
    'after a secret leaked: nothing is opened or verified by it any more, and everybody can sign in but by a recovery code of 1.0.0',
    async () => {
      await restart(`${newer},${newest}`)
      await restart(`${newest},${newer}`)
      for (const line of await documented('leaked-secret')) await schoolgate(line, `${newest},${newer}`)
      await restart(newest ?? '')
      await everyFactor()
      for (const code of earlier.slice(1)) expect(await signInWith(0, code)).toBe(400)
      const rows = await database.sql.query<{ value: string }>(
        'SELECT secret AS value FROM authenticator_app UNION ALL SELECT private_jwk FROM signing_key WHERE retired_at IS NULL',
      )
      for (const { value } of rows) expect(value.endsWith(`=${createKeyring([newest ?? '']).secretIds[0]}`)).toBe(true)
      expect(await database.sql.query('SELECT kept_keys FROM installation')).toEqual([{ kept_keys: null }])
      const leaked = createKeyring([newer ?? ''])
      for (const { hash, account_id } of await database.sql.query<{ hash: string; account_id: string }>('SELECT * FROM recovery_code'))
        expect(leaked.verify('recovery codes', `${account_id} ${codes[0]?.replaceAll('-', '')}`, hash)).toBe(false)
    },
    300_000,
  )
})
