import { stringify } from 'yaml'
import type { Environment } from './environment.ts'
import { describedFiles, describedVariables } from './files.ts'
import type { JsonSchema } from './jsonSchema.ts'
import type { Config } from './load.ts'

const masked = '[masked]'

/** Prints the effective configuration as YAML, with all defaults and with secrets masked. */
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

/** Masks the secrets in the environment. An address with a password keeps its scheme, user and host if they can be parsed unambiguously. */
function maskEnvironment(environment: Environment): Record<string, unknown> {
  const secret = new Set(describedVariables().flatMap(({ name, writeOnly }) => (writeOnly ? [name] : [])))
  return Object.fromEntries(
    Object.entries(environment)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, secret.has(name) ? maskText(value) : value]),
  )
}

function maskText(value: unknown): string {
  // Shows only the parts that cannot belong to a password: an unescaped / or @ in a password shifts the rest of the address.
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
