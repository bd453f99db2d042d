import { isLoopback, isOrigin } from './address.ts'
import type { CheckedFile } from './checkFile.ts'
import type { ConfigIssue } from './configErrors.ts'
import type { Environment } from './environment.ts'
import type { ResourcesConfig } from './resourceServers.ts'
import type { SchoolFile } from './schools.ts'

/** A school's file with the address that the school gets. */
export interface SchoolAddress {
  slug: string
  file: CheckedFile<SchoolFile>
  /** Undefined where it is missing or wrong. */
  issuer: string | undefined
}

/** The address of a school: its file's, or BASE_URL for the demo school. Also where something else in the file is wrong. */
export function addressOf(slug: string, file: CheckedFile<SchoolFile>, baseUrl: string): SchoolAddress {
  const stated = (file.raw as { issuer?: unknown } | null | undefined)?.issuer
  if (stated === undefined) return { slug, file, issuer: slug === 'demo' ? baseUrl : undefined }
  return { slug, file, issuer: typeof stated === 'string' && isOrigin(stated) ? stated : undefined }
}

/** Every school but the demo school must state its address, and no two may share a host: the host tells them apart. */
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
    return owner === undefined
      ? []
      : [{ ...place, expected: `has the host of schools/${owner}.yaml: every school needs a host of its own` }]
  })
}

/** The API and the MCP endpoint of a school are resources by themselves: a second entry would open them to other clients. */
export function resourceIssues(resources: CheckedFile<ResourcesConfig>, schools: readonly SchoolAddress[]): ConfigIssue[] {
  return (resources.value?.resource_servers ?? []).flatMap(({ identifier }, index): ConfigIssue[] => {
    const owner = schools.find(({ issuer }) => issuer !== undefined && [issuer, `${issuer}/`, `${issuer}/mcp`].includes(identifier))
    if (!owner) return []
    const path = ['resource_servers', index, 'identifier']
    const expected = `is an address of schools/${owner.slug}.yaml: list other resource servers only`
    return [{ file: resources.file, line: resources.lineOf(path), key: `resource_servers[${index}].identifier`, expected }]
  })
}

export type AddressEnvironment = Pick<Environment, 'BASE_URL' | 'RATE_LIMITS' | 'SECRET_KEY' | 'SECRET_KEY_FILE'>

/** What a service that others can reach must not do without. */
export function publicAddressIssues(environment: AddressEnvironment, issuers: readonly string[]): ConfigIssue[] {
  const reachable = issuers.find((issuer) => !isLoopback(issuer))
  if (reachable === undefined) return []
  const mistake = (key: string, expected: string): ConfigIssue => ({ file: 'environment', key, expected })
  return [
    ...(environment.RATE_LIMITS === 'off' ? [mistake('RATE_LIMITS', `must be on: ${reachable} is not a loopback address`)] : []),
    ...(environment.SECRET_KEY === undefined && environment.SECRET_KEY_FILE === undefined
      ? [mistake('SECRET_KEY', `is missing: ${reachable} is not a loopback address. Make one with openssl rand -base64 48, and keep it`)]
      : []),
  ]
}
