import { supportedAlgorithms, supportedGrants } from '../../base/text/clientValues.ts'

const maxNameLength = 200

/** Members of client metadata that mean the same to self-registered clients and to metadata documents (RFC 7591 section 2). */
export interface SupportedMetadata {
  client_name?: string
  grant_types: (typeof supportedGrants)[number][]
  response_types: ['code']
  id_token_signed_response_alg?: (typeof supportedAlgorithms)[number]
}

/** Returns the metadata without the members that mean nothing: null, empty text and an empty list are the same as absence. */
export function presentMembers(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value)))
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/**
 * Narrows optional client metadata to what the service supports, as RFC 7591 section 3.2.1 allows: unknown grant types, response types and
 * algorithms are left out. Expects the result of `presentMembers`. Pure. @returns an error only for a client that cannot use the
 * authorization code flow, or whose name cannot be shown
 */
export function supportedMetadata(metadata: Readonly<Record<string, unknown>>): { metadata: SupportedMetadata } | { problem: string } {
  const { client_name: name, grant_types: grants = supportedGrants, response_types: responses = ['code'] } = metadata
  if (name !== undefined && (typeof name !== 'string' || name.length > maxNameLength))
    return { problem: `client_name must be text of at most ${maxNameLength} characters` }
  if (typeof name === 'string' && (!name.isWellFormed() || name.includes('\0')))
    return { problem: 'client_name must be valid Unicode text' }
  if (!Array.isArray(grants) || !grants.includes('authorization_code'))
    return { problem: 'grant_types must be a list with authorization_code. Supported are authorization_code and refresh_token' }
  if (!Array.isArray(responses) || !responses.includes('code'))
    return { problem: 'response_types must be a list with code, the only supported response type' }
  const algorithm = supportedAlgorithms.find((supported) => supported === metadata.id_token_signed_response_alg)
  return {
    metadata: {
      ...(name !== undefined && { client_name: name }),
      grant_types: supportedGrants.filter((grant) => grants.includes(grant)),
      response_types: ['code'],
      ...(algorithm && { id_token_signed_response_alg: algorithm }),
    },
  }
}
