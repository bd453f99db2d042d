import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { resources, scopeCatalogue } from '../../src/resources/index.ts'

const source = resolve(import.meta.dirname, '../../src')
/** Scopes of the school's resources. Those of the identity belong to OpenID Connect. */
const names = scopeCatalogue(resources).flatMap(({ name }) => (name.includes(':') ? [name] : []))
const scope = new RegExp(`\\b(?:${names.join('|')})\\b`)

/** Lines of code, not of comments, that spell the name of a scope. */
const typedScopes = (text: string): string[] => text.split('\n').filter((line) => scope.test(line) && !/^\s*(?:\/\/|\/?\*)/.test(line))

test('no scope is typed by hand: each is derived from its resource; configuration alone names scopes, in defaults and examples', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !/^(?:gen|config)\//.test(path),
  )
  expect(files.length).toBeGreaterThan(300)
  const found = files.flatMap((path) => typedScopes(readFileSync(join(source, path), 'utf8')).map((line) => `${path}: ${line.trim()}`))
  expect(found).toEqual([])
})

test('a scope that is typed by hand is found, in every kind of quotes', () => {
  expect(names).toHaveLength(35)
  for (const line of ["const scope = 'subscriptions:write'", '  description: `Needs courses:read.`,', 'has("account:read")'])
    expect(typedScopes(`/** courses:read opens it. */\n${line}\n// not students:read`)).toEqual([line])
})
