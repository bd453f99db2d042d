import { join } from 'node:path'
import type { z } from 'zod'
import { nearest } from '../base/text/nearest.ts'
import {
  type AddressEnvironment,
  addressOf,
  issuerIssues,
  publicAddressIssues,
  resourceIssues,
  type SchoolAddress,
  schemeIssues,
} from './acrossFiles.ts'
import { type CheckedFile, checkFile } from './checkFile.ts'
import { listConfigDirectory } from './configDirectory.ts'
import { ConfigError, type ConfigIssue } from './configErrors.ts'
import { ConfigFileError, readConfigFile } from './configFile.ts'
import { type OAuthConfig, oauthSchema } from './oauth.ts'
import { type ResourcesConfig, resourcesSchema } from './resourceServers.ts'
import { type RoleScopes, type RolesConfig, resolveRoles, rolesSchema } from './roles.ts'
import { resolveSchool, type SchoolConfig, schoolSchema } from './schools.ts'
import { type ServerConfig, serverSchema } from './server.ts'
import { type ReadSecret, webhookSecretIssues } from './webhookSecrets.ts'
import { isPrivateHost } from './webhooks.ts'

export interface Config {
  server: ServerConfig
  oauth: OAuthConfig
  resources: ResourcesConfig
  roles: RolesConfig
  schools: SchoolConfig[]
}

export interface LoadArguments {
  directory: string
  environment: AddressEnvironment
  knownScopes: readonly string[]
  usableScopes: RoleScopes
  webhookTypes: readonly string[]
  /** Reads the secrets of the webhooks. If it is absent, they are not checked. */
  readSecret?: ReadSecret | undefined
}

/**
 * Reads the configuration directory. A file that is missing or empty has its defaults.
 * @throws ConfigError with every error of every file
 */
export function loadConfig({ directory, environment, knownScopes, usableScopes, webhookTypes, readSecret }: LoadArguments): Config {
  const listing = listConfigDirectory(directory)
  const server = readFile(join(directory, 'server.yaml'), serverSchema)
  const oauth = readFile(join(directory, 'oauth.yaml'), oauthSchema(knownScopes))
  const resources = readFile(join(directory, 'resources.yaml'), resourcesSchema(knownScopes))
  const roles = readFile(join(directory, 'roles.yaml'), rolesSchema(knownScopes))
  const schools = listing.schools.map(({ slug, path }) => addressOf(slug, readFile(path, schoolSchema), environment.BASE_URL))
  const issuers = schools.flatMap(({ issuer }) => issuer ?? [])

  const issues: ConfigIssue[] = [
    ...listing.issues,
    ...[server, oauth, resources, roles, ...schools.map(({ file }) => file)].flatMap((file) => file.issues),
    ...issuerIssues(schools),
    ...resourceIssues(resources, schools),
    ...schemeIssues(oauth, schools),
    ...webhookIssues(schools, webhookTypes),
    ...(readSecret ? webhookSecretIssues(schools, readSecret) : []),
    ...publicAddressIssues(environment, issuers),
  ]
  if (issues.length > 0) throw new ConfigError(issues.toSorted(byPlace))

  const { baseline_scopes: baseline, ...rest } = requireValue(oauth)
  return freeze({
    server: requireValue(server),
    oauth: { ...rest, baseline_scopes: baseline.filter((name) => knownScopes.includes(name)) },
    resources: requireValue(resources),
    roles: resolveRoles(requireValue(roles), knownScopes, usableScopes),
    schools: schools.map(({ slug, file, issuer }) => resolveSchool(requireValue(file), { slug, issuer: issuer as string })),
  })
}

function readFile<Schema extends z.ZodType>(path: string, schema: Schema): CheckedFile<z.output<Schema>> {
  try {
    return checkFile(path, readConfigFile(path) ?? '', schema)
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error
    const issues = [{ file: path, key: '', expected: error.message }]
    return { file: path, value: undefined, raw: undefined, issues, lineOf: () => 1 }
  }
}

function requireValue<Value>({ file, value }: CheckedFile<Value>): Value {
  if (value === undefined) throw new Error(`${file} was used although it has errors`)
  return value
}

function byPlace(a: ConfigIssue, b: ConfigIssue): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return (a.line ?? 0) - (b.line ?? 0)
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(Object.freeze(value))) freeze(member)
  return value
}

/** Checks the types of webhooks, and that only named hosts are called without TLS. */
function webhookIssues(schools: readonly SchoolAddress[], known: readonly string[]): ConfigIssue[] {
  return schools.flatMap(({ file }) =>
    (file.value?.webhooks ?? []).flatMap(({ url, types }, at): ConfigIssue[] => {
      const issue = (member: string, path: (string | number)[], expected: string): ConfigIssue => ({
        file: file.file,
        line: file.lineOf(['webhooks', at, ...path]),
        key: `webhooks[${at}].${member}`,
        expected,
      })
      const target = new URL(url)
      const isAllowed = target.protocol === 'https:' || isPrivateHost(target, file.value?.webhook_private_hosts ?? [])
      return [
        ...(isAllowed ? [] : [issue('url', ['url'], 'must begin with https://. Only hosts in webhook_private_hosts can use http://')]),
        ...types.flatMap((type, index) => {
          if (known.includes(type)) return []
          const near = nearest(type, known)
          return [
            issue(
              `types[${index}]`,
              ['types', index],
              `is not a known type${near ? `; did you mean ${near}?` : '. docs/webhooks.md lists them'}`,
            ),
          ]
        }),
      ]
    }),
  )
}
