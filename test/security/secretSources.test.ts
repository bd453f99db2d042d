// Proves D22: Every place in src that creates a secret is listed, and the search for leaks issues each kind

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { secretSources } from './secretSources.ts'

const root = resolve(import.meta.dirname, '../..')
const files = readdirSync(resolve(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('gen/'))
  .map((file) => `src/${file}`)

/** Returns the calls of a text that draw random bits, sign or encrypt, as `secretSources` names them. */
function sourcesIn(text: string): string[] {
  const code = text.replaceAll(/^import [\s\S]*? from '.*'$/gm, '').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  const random =
    /(?<!function )\b(randomToken|randomBytes|randomUUID|randomInt|randomFillSync|getRandomValues|generateKeyPair|generateKey|nanoid)\(/g
  return [
    ...[...code.matchAll(random)].map(([, call = '']) => call),
    ...[...code.matchAll(/\bnew Secret\(/g)].map(() => 'new Secret'),
    ...[...code.matchAll(/\bsealing\('([^']+)'\)/g)].map(([, purpose]) => `seal ${purpose}`),
    ...[...code.matchAll(/\bkeyring\.(sign|seal)\((?:'([^']+)'|(\w+)),/g)].map(([, call, purpose, name]) => `${call} ${purpose ?? name}`),
  ]
}

test('every place that creates a secret is in the list, with the secrets that it issues or the reason why there are none', () => {
  const found = files.flatMap((file) => sourcesIn(readFileSync(resolve(root, file), 'utf8')).map((call) => `${file} ${call}`))
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(secretSources).toSorted())
})

test('a new place is found', () => {
  const text = `import { randomToken } from '../lib/keyring.ts'
/** keyring.sign('comments', text) is not code. */
const token = randomToken(256)
const signature = keyring.sign('uploads', token)
const secret = new Secret({ size: 20 })`
  expect(sourcesIn(text)).toEqual(['randomToken', 'new Secret', 'sign uploads'])
})
