import { stringify } from 'yaml'
import type { Environment } from './environment.ts'
import { describedFiles, describedVariables } from './files.ts'
import type { JsonSchema } from './jsonSchema.ts'
import type { Config } from './load.ts'

const masked = '[masked]'

/** The effective configuration as YAML, with every default written out and every secret masked. */
export function printConfig(config: Config, environment: Environment): string {
  const shapes = Object.fromEntries(describedFiles().map(({ name, schema }) => [name, schema]))
  const shown = {
    environment: maskEnvironment(environment),
    server: mask(config.server, shapes.server),
    oauth: mask(config.oauth, shapes.oauth),
    resources: mask(config.resources, shapes.resources),
    roles: config.roles,
    schools: Object.fromEntries(config.schools.map(({ slug, ...school }) => [slug, mask(school, shapes.school)])),
  }
  return stringify(shown, { lineWidth: 140, aliasDuplicateObjects: false })
}

/** The environment with secrets masked. Of an address with a password in it scheme, user and host remain, where they are beyond doubt. */
function maskEnvironment(environment: Environment): Record<string, unknown> {
  const secret = new Set(describedVariables().flatMap(({ name, writeOnly }) => (writeOnly ? [name] : [])))
  return Object.fromEntries(
    Object.entries(environment)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, secret.has(name) ? maskText(value) : value]),
  )
}

function maskText(value: unknown): string {
  // Only what cannot be part of a misplaced password is shown: one with / or @ in it would move the rest of the address.
  const [, scheme, user, host] =
    /^([a-z0-9+]+:\/\/)(?:([\w.-]*)(?::[^@/?#]*)?@)?([\w.-]+(?::\d+)?)(?:\/\w*)?(?:\?[^@]*)?$/.exec(String(value)) ?? []
  if (scheme === undefined) return masked
  return `${scheme}${user === undefined ? '' : `${user}:${masked}@`}${host}`
}

function mask(value: unknown, schema: JsonSchema | undefined): unknown {
  if (schema?.writeOnly) return value === undefined ? undefined : masked
  if (Array.isArray(value)) return value.map((item) => mask(item, schema?.items))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mask(member, schema?.properties?.[key])]))
}
