import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { readEnvironment } from '../../src/config/environment.ts'
import { readDemoPassword, readSecretKeys } from '../../src/config/secrets.ts'
import { temporaryFolder } from './configFolder.ts'

const loopback = ['http://127.0.0.1:3000', 'http://localhost:3000']
const keys = (variables: Record<string, string>, issuers = loopback): readonly string[] =>
  readSecretKeys({ environment: readEnvironment(variables), issuers })

describe('the root secret', () => {
  test('comes from SECRET_KEY or from SECRET_KEY_FILE', () => {
    const file = join(temporaryFolder(), 'key')
    writeFileSync(file, `${'f'.repeat(40)},${'e'.repeat(40)}\n`)
    expect(keys({ SECRET_KEY: 'k'.repeat(32) }, ['https://a.example.com'])).toEqual(['k'.repeat(32)])
    expect(keys({ SECRET_KEY_FILE: file }, ['https://a.example.com'])).toEqual(['f'.repeat(40), 'e'.repeat(40)])
  })

  test('is generated once on this machine, readable by its owner only, and then stays the same', () => {
    const DATA_DIR = join(temporaryFolder(), 'data')
    const first = keys({ DATA_DIR })
    expect(first[0]).toMatch(/^[A-Za-z0-9_-]{64}$/)
    expect(keys({ DATA_DIR })).toEqual(first)
    expect(statSync(join(DATA_DIR, 'secret_key')).mode & 0o777).toBe(0o600)
    expect(statSync(DATA_DIR).mode & 0o777).toBe(0o700)
    expect(readdirSync(DATA_DIR)).toEqual(['secret_key'])
  })

  test('is not generated if an issuer is public', () => {
    const DATA_DIR = join(temporaryFolder(), 'data')
    expect(() => keys({ DATA_DIR }, [...loopback, 'https://a.example.com'])).toThrow(
      'environment  SECRET_KEY  is missing: https://a.example.com is not a loopback address',
    )
    expect(() => statSync(DATA_DIR)).toThrow('ENOENT')
  })

  test.each([
    ['', 'is empty: remove it, or set SECRET_KEY'],
    [
      'short',
      'every secret must have at least 32 characters. Restore the original secret: stored keys and codes cannot be read with another one',
    ],
  ])('that was damaged (%j) is refused, not replaced', (content, message) => {
    const DATA_DIR = temporaryFolder()
    writeFileSync(join(DATA_DIR, 'secret_key'), content)
    expect(() => keys({ DATA_DIR })).toThrow(`${join(DATA_DIR, 'secret_key')}  ${message}`)
    expect(readFileSync(join(DATA_DIR, 'secret_key'), 'utf8')).toBe(content)
  })

  test('in a missing file or a directory that is not writable gets a message with the fix', () => {
    const folder = temporaryFolder()
    expect(() => keys({ SECRET_KEY_FILE: join(folder, 'none') })).toThrow(
      'none  does not exist: create the file that SECRET_KEY_FILE names',
    )
    writeFileSync(join(folder, 'file'), '')
    expect(() => keys({ DATA_DIR: join(folder, 'file') })).toThrow('not a directory')
  })

  test('is the same for processes that start together', async () => {
    const DATA_DIR = join(temporaryFolder(), 'data')
    const [environmentModule, secretsModule] = ['environment', 'secrets'].map((name) =>
      resolve(import.meta.dirname, `../../src/config/${name}.ts`),
    )
    const script = `
      const [{ readEnvironment }, { readSecretKeys }] = await Promise.all([import(${JSON.stringify(environmentModule)}), import(${JSON.stringify(secretsModule)})])
      process.stdout.write('ready\\n')
      await new Promise((go) => process.stdin.once('data', go))
      process.stdout.write(readSecretKeys({ environment: readEnvironment({ DATA_DIR: ${JSON.stringify(DATA_DIR)} }), issuers: ['http://127.0.0.1:3000'] })[0])
      process.exit(0)`
    const processes = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    const outputs = processes.map(({ stdout }) => {
      const ready = new Promise<void>((go) => stdout.once('data', () => go()))
      return { ready, all: text(stdout) }
    })
    await Promise.all(outputs.map(({ ready }) => ready))
    for (const { stdin } of processes) stdin.write('go\n')
    const answers = await Promise.all(outputs.map(({ all }) => all))
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toMatch(/[A-Za-z0-9_-]{64}$/)
    expect(readdirSync(DATA_DIR)).toEqual(['secret_key'])
  })
})

describe('the password of the demo accounts', () => {
  test('is the given one, or generated once and stored', () => {
    const DATA_DIR = temporaryFolder()
    expect(readDemoPassword({ DATA_DIR, DEMO_PASSWORD: 'lantern-kiln' })).toBe('lantern-kiln')
    expect(readdirSync(DATA_DIR)).toEqual([])
    const made = readDemoPassword({ DATA_DIR, DEMO_PASSWORD: undefined })
    expect(made).toMatch(/^[1-9A-HJ-NP-Za-km-z]{4}(-[1-9A-HJ-NP-Za-km-z]{4}){3}$/)
    expect(readDemoPassword({ DATA_DIR, DEMO_PASSWORD: undefined })).toBe(made)
    expect(readDemoPassword({ DATA_DIR: temporaryFolder(), DEMO_PASSWORD: undefined })).not.toBe(made)
    expect(statSync(join(DATA_DIR, 'demo_password')).mode & 0o777).toBe(0o600)
  })
})
