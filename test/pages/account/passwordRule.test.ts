// Proves NIST SP 800-63B section 5.1.1.2: New passwords: common ones, words, seasons and years, dates, keyboards, name and address are rejected; a thread that fails or hangs leaves the decision to the other rules and never keeps the process alive

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import {
  createGuessEstimator,
  type GuessEstimator,
  type GuessEstimatorOptions,
} from '../../../src/identity/accounts/passwordRule/guessEstimator.ts'
import { createNewPasswordRule } from '../../../src/identity/accounts/passwordRule/newPasswordRule.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { password, startService } from '../../support/service.ts'
import { createBrowser } from '../browser.ts'
import { choosePassword, resetLink, send, signedIn, signUpLink } from './account.ts'

const context = { email: 'marlo.quill@lanternmail.example', name: 'Marlo Benedikt Quill', schoolName: 'Lanternfield School of Making' }
// Generous, because tests run on machines that are busy.
const limitMilliseconds = 60_000

describe('a new password', () => {
  const failures: string[] = []
  const estimator = createGuessEstimator({ onFailure: (reason) => failures.push(reason), limitMilliseconds })
  const check = createNewPasswordRule(estimator)
  afterAll(() => estimator.close())

  test.each([
    'Sommer2026!',
    'Winter2025',
    'sommer-2026',
    'S0mmer2026',
    'Herbst-2024!!',
    'Frühling2026!',
    'Fruehling 2026',
    'Dezember2025!',
    'Maerz2026!',
    'Montag12345678',
    'Autumn 2026',
    'Passwort2026',
    'Schule2026',
    'Sabine1985',
    'Bayern1900',
    'Kaffeetasse',
    'Fussball123',
    'correcthorse',
    'qwertz123!',
    '1qaz2wsx3edc',
    'zaq12wsx',
    '11.09.1987',
    '19870911',
    'aB3$aB3$',
    `${'x'.repeat(1000)}yz`,
  ])('%j is too easy to guess', async (chosen) => {
    expect(await check(chosen, context)).toBe('too_common')
  })

  test.each(['MarloQuill2026', 'benedikt.1', 'Quill, Marlo', 'lanternfield2026', 'marlo.quill@lanternmail'])(
    '%j is too close to the person or the school',
    async (chosen) => {
      expect(await check(chosen, context)).toBe('too_close')
    },
  )

  test.each([
    'Hund Katze Maus',
    'tiny blue kettle',
    'Kaffeetasse Wolke Zaun',
    'f8#kQz!2',
    'k7Gm2pQx',
    'маленький чайник',
    '合言葉は秘密の灯台',
  ])('%j is accepted', async (chosen) => {
    expect(await check(chosen, context)).toBeUndefined()
  })

  test('is estimated in bounded time, whatever it is', async () => {
    const units = ['a', 'ab1', '@4831!0$57', 'p4$$w0rd@1!3', '11091987', 'correcthorse', '\ud83d\ude00', '\u{fdfa}']
    for (const unit of units) await check(unit.repeat(1000).slice(0, 250), context)
    await check('marlo quill 2026 @4831!0$57', { ...context, name: '4@3$'.repeat(3000), schoolName: 'x y '.repeat(3000) })
    expect(failures).toEqual([])
  })
})

describe('the thread that estimates', () => {
  const open: GuessEstimator[] = []
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
  })
  const create = (options: Partial<GuessEstimatorOptions>) => {
    const failures: string[] = []
    const estimator = createGuessEstimator({ onFailure: (reason) => failures.push(reason), limitMilliseconds, ...options })
    open.push(estimator)
    return { estimator, failures }
  }
  const code = (text: string) =>
    new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';${text}`)}`)
  const silent = code('parentPort.on("message", () => {})')
  const counting = code('parentPort.on("message", ({ password }) => parentPort.postMessage(password.length))')

  test('starts with the first estimate and ends when it was idle', async () => {
    const { estimator, failures } = create({ module: counting, idleMilliseconds: 50 })
    expect(estimator.isStarted()).toBe(false)
    expect(await Promise.all(['a', 'bb', 'ccc'].map((text) => estimator.estimate(text, [])))).toEqual([1, 2, 3])
    await until(async () => !estimator.isStarted(), { what: 'the thread to end' })
    expect(await estimator.estimate('dddd', [])).toBe(4)
    expect(failures).toEqual([])
  })

  test('gets at most 72 characters, and no environment', async () => {
    const { estimator } = create({ module: counting })
    expect(await estimator.estimate('x'.repeat(5000), [])).toBe(72)
    const bare = create({ module: code('parentPort.on("message", () => parentPort.postMessage(Object.keys(process.env).length))') })
    expect(await bare.estimator.estimate('x', [])).toBe(0)
  })

  test.each([
    ['that does not answer', { module: silent, limitMilliseconds: 200 }, /time limit/],
    ['that throws', { module: code('parentPort.on("message", () => { throw new RangeError("the secret") })') }, /RangeError$/],
    ['that ends', { module: code('parentPort.on("message", () => process.exit(0))') }, /ended$/],
    ['that cannot be loaded', { module: new URL('file:///nowhere/worker.ts') }, /MODULE_NOT_FOUND$/],
    [
      'that takes too much memory',
      { module: code('const all = []; parentPort.on("message", () => { for (;;) all.push(new Array(1e6).fill({})) })') },
      /OUT_OF_MEMORY$/,
    ],
  ] as const)('%s leaves the decision to the other rules, and the reason has nothing of the password', async (_what, options, reason) => {
    const { estimator, failures } = create(options)
    const check = createNewPasswordRule(estimator)
    expect(await check('Kaffeetasse', context)).toBeUndefined()
    expect(await check('Sommer2026', context)).toBe('too_common')
    expect(failures).toEqual([expect.stringMatching(reason)])
    expect(failures.join()).not.toMatch(/secret|Kaffee/)
  })

  test('responds to the next estimate after one that took too long', async () => {
    const module = code('parentPort.on("message", ({ password }) => password === "slow" || parentPort.postMessage(7))')
    const { estimator, failures } = create({ module, limitMilliseconds: 3000 })
    expect(await estimator.estimate('slow', [])).toBeUndefined()
    expect(await estimator.estimate('quick', [])).toBe(7)
    expect(failures).toHaveLength(1)
  })

  test('keeps a limited number of estimates waiting', async () => {
    const { estimator, failures } = create({ module: silent, queue: 2, limitMilliseconds: 300 })
    expect(await Promise.all(Array.from({ length: 5 }, () => estimator.estimate('x', [])))).toEqual(Array(5).fill(undefined))
    expect(failures.filter((reason) => reason.includes('waiting'))).toHaveLength(2)
    expect(failures.filter((reason) => reason.includes('time limit'))).toHaveLength(3)
  })

  test('lets the process end: after an estimate, and not before', () => {
    const root = resolve(import.meta.dirname, '../../..')
    const script = `
      import { createGuessEstimator } from ${JSON.stringify(resolve(root, 'src/identity/accounts/passwordRule/guessEstimator.ts'))}
      const estimator = createGuessEstimator({ onFailure: console.error, limitMilliseconds: ${limitMilliseconds}, idleMilliseconds: 3600_000 })
      console.log(await estimator.estimate('Kaffeetasse', []) < 1e8, estimator.isStarted())`
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      timeout: 2 * limitMilliseconds,
    })
    expect([status, stdout, stderr]).toEqual([0, 'true true\n', ''])
  })
})

describe('the pages on which people choose a password', () => {
  const service = duringTests(() => startService())

  const words = { en: 'for example three unrelated words', de: 'zum Beispiel drei Wörter, die nichts miteinander zu tun haben' }
  const weak = { password: 'Kaffeetasse', repeated: 'Kaffeetasse' }
  const own = { password: 'Wren Applegarth 1', repeated: 'Wren Applegarth 1' }

  test('say what to do, in the language of the person: sign-up, new password by link, change of the password', async () => {
    await service.addPerson({ email: 'weak@example.com' })
    await service.database.sql.query("UPDATE account SET name = 'Wren Applegarth' WHERE email = 'weak@example.com'")
    for (const [language, says] of Object.entries(words)) {
      const visitor = () => createBrowser(service.issuer, { 'accept-language': language })
      const signUp = await signUpLink(service, `${language}@example.com`)
      const reset = await resetLink(service, 'weak@example.com')
      const browser = await signedIn(service, 'weak@example.com')
      await service.database.sql.query("UPDATE account SET locale = $1 WHERE email = 'weak@example.com'", [language])
      for (const chosen of [weak, own]) {
        const refusals = [
          await choosePassword(service, signUp, chosen, visitor()),
          await choosePassword(service, reset, chosen, visitor()),
          await send(browser, await browser.get('/account/login'), { current: password, ...chosen }, /password$/),
        ]
        for (const { status, html } of refusals) {
          expect([status, html.includes(says)], html).toEqual([400, true])
        }
      }
    }
    await signedIn(service, 'weak@example.com')
  })
})
