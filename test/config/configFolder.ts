import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ConfigError } from '../../src/config/configErrors.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { type Config, loadConfig } from '../../src/config/load.ts'
import { secretReader } from '../../src/config/webhookSecrets.ts'

const pairs = [
  'courses',
  'students',
  'members',
  'curriculum',
  'school',
  'appearance',
  'events',
  'membership_plans',
  'coupons',
  'posts',
  'subscriptions',
  'digital_products',
  'lecturers',
  'pages',
  'account',
]
const singles = ['analytics:read', 'orders:read', 'comments:read', 'storage:write', 'forms:read']

/** The scopes that this service publishes. */
export const knownScopes = ['openid', 'profile', 'email', ...pairs.flatMap((area) => [`${area}:read`, `${area}:write`]), ...singles]

const staffOnly = ['school:write', 'appearance:write', 'membership_plans:write', 'digital_products:write', 'pages:write']
const teachersOnly = ['courses:write', 'curriculum:write', 'posts:write', 'lecturers:write', 'analytics:read']
const without = (scopes: readonly string[]): string[] => knownScopes.filter((name) => !scopes.includes(name))

/** The scopes that each role can use. */
export const usableScopes = {
  owner: knownScopes,
  admin: knownScopes,
  lecturer: without(staffOnly),
  learner: without([...staffOnly, ...teachersOnly]),
}

/** The scopes of the resources, which the loader takes. */
export const scopes = { knownScopes, usableScopes, webhookTypes: ['order', 'enrollment', 'security'], readSecret: secretReader({}) }

/** An empty directory that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'schoolgate-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export type Files = Record<string, string | Buffer>

/** Writes files into a new directory. A demo school is among them unless a school is. */
export function configFolder(files: Files = {}): string {
  const folder = temporaryFolder()
  const schools: Files = Object.keys(files).some((name) => name.startsWith('schools')) ? {} : { 'schools/demo.yaml': '' }
  for (const [name, text] of Object.entries({ ...schools, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

export function load(files: Files, variables: Record<string, string> = {}): Config {
  return loadConfig({ directory: configFolder(files), environment: readEnvironment(variables), ...scopes })
}

/** Returns the error message of a configuration, with paths relative to its directory. */
export function complaint(directory: string, variables: Record<string, string> = {}): string {
  try {
    loadConfig({ directory, environment: readEnvironment(variables), ...scopes })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.replaceAll(directory, 'config')
  }
  return 'nothing wrong'
}
