import { isLoopback, isOrigin } from './address.ts'
import type { CheckedFile } from './checkFile.ts'
import type { ConfigIssue } from './configErrors.ts'
import type { Environment } from './environment.ts'
import type { OAuthConfig } from './oauth.ts'
import { integrationRedirectError, uriIssues } from './redirectUris.ts'
import type { ResourcesConfig } from './resourceServers.ts'
import type { SchoolFile } from './schools.ts'

export interface SchoolAddress {
  slug: string
  file: CheckedFile<SchoolFile>
  /** Undefined if it is missing or invalid. */
  issuer: string | undefined
}

/** Returns the issuer of a school: from its file, or BASE_URL for the demo school. Works even if other keys of the file are invalid. */
export function addressOf(slug: string, file: CheckedFile<SchoolFile>, baseUrl: string): SchoolAddress {
  const { raw } = file
  const stated = typeof raw === 'object' && raw !== null && 'issuer' in raw ? raw.issuer : undefined
  if (stated === undefined) return { slug, file, issuer: slug === 'demo' ? baseUrl : undefined }
  return { slug, file, issuer: typeof stated === 'string' && isOrigin(stated) ? stated : undefined }
}

/** Checks that every school except the demo school has an issuer, and that no two schools share a host: requests select a school by host. */
export function issuerIssues(schools: readonly SchoolAddress[]): ConfigIssue[] {
  const owners = new Map<string, string>()
  return schools.flatMap(({ slug, file, issuer }): ConfigIssue[] => {
    const place = { file: file.file, line: file.lineOf(['issuer']), key: 'issuer' }
    if (issuer === undefined) {
      const isMissing = typeof file.raw === 'object' && file.raw !== null && !('issuer' in file.raw)
      return isMissing
        ? [{ ...place, expected: 'is missing: it must be the public address of the school, such as https://school.example.com' }]
        : []
    }
    const { host } = new URL(issuer)
    const owner = owners.get(host)
    owners.set(host, owner ?? slug)
    return owner === undefined ? [] : [{ ...place, expected: `has the host of schools/${owner}.yaml: every school needs its own host` }]
  })
}

/** Checks that no entry repeats the API or MCP endpoint of a school: this would open them to other clients. */
export function resourceIssues(resources: CheckedFile<ResourcesConfig>, schools: readonly SchoolAddress[]): ConfigIssue[] {
  return (resources.value?.resource_servers ?? []).flatMap(({ identifier }, index): ConfigIssue[] => {
    const owner = schools.find(({ issuer }) => issuer !== undefined && [issuer, `${issuer}/`, `${issuer}/mcp`].includes(identifier))
    if (!owner) return []
    const path = ['resource_servers', index, 'identifier']
    const expected = `is an address of schools/${owner.slug}.yaml: list other resource servers only`
    return [{ file: resources.file, line: resources.lineOf(path), key: `resource_servers[${index}].identifier`, expected }]
  })
}

/** Checks that the addresses of the integrations use only private-use schemes that oauth.yaml allows. */
export function schemeIssues(oauth: CheckedFile<OAuthConfig>, schools: readonly SchoolAddress[]): ConfigIssue[] {
  const schemes = oauth.value?.private_use_schemes
  if (!schemes) return []
  return schools.flatMap(({ file }) =>
    (file.value?.integrations ?? []).flatMap((integration, at) =>
      uriIssues(integration, (uri) => integrationRedirectError(uri, schemes)).map(({ path: [list, index], expected }) => ({
        file: file.file,
        line: file.lineOf(['integrations', at, list, index]),
        key: `integrations[${at}].${list}[${index}]`,
        expected,
      })),
    ),
  )
}

export type AddressEnvironment = Pick<Environment, 'BASE_URL' | 'RATE_LIMITS' | 'SECRET_KEY' | 'SECRET_KEY_FILE'>

export function publicAddressIssues(environment: AddressEnvironment, issuers: readonly string[]): ConfigIssue[] {
  const reachable = issuers.find((issuer) => !isLoopback(issuer))
  if (reachable === undefined) return []
  const issue = (key: string, expected: string): ConfigIssue => ({ file: 'environment', key, expected })
  return [
    ...(environment.RATE_LIMITS === 'off' ? [issue('RATE_LIMITS', `must be on: ${reachable} is not a loopback address`)] : []),
    ...(environment.SECRET_KEY === undefined && environment.SECRET_KEY_FILE === undefined
      ? [issue('SECRET_KEY', `is missing: ${reachable} is not a loopback address. Generate one with openssl rand -base64 48, and keep it`)]
      : []),
  ]
}
