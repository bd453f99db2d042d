import type { RegisteredVia } from '../../database/tables/clients.ts'

/** The source of a client's data: the client itself, the website of its metadata document, or the school. */
export type ClientSource = { registeredVia: 'self' } | { registeredVia: 'integration' } | { registeredVia: 'document'; host: string }

export type ClientOrigin = ClientSource & { createdAt: Date }

export function originOf(clientId: string, via: RegisteredVia): ClientSource {
  if (via === 'self') return { registeredVia: 'self' }
  if (via === 'document') return { registeredVia: 'document', host: URL.parse(clientId)?.host ?? '' }
  return { registeredVia: 'integration' }
}
