import { decodeJwt } from 'jose'
import type { ClientAuthMethod } from './clientOptions.ts'

// The engine treats an empty parameter as absent.
const clientIdIn = (form: URLSearchParams): string | undefined => form.get('client_id') || undefined

/** Returns the client that a form names, for each method. The first method by which the form names one counts. */
const clientNamedBy: Record<ClientAuthMethod, (form: URLSearchParams) => string | undefined> = {
  none: clientIdIn,
  client_secret_post: clientIdIn,
  // RFC 7521 section 4.2: the subject of the assertion; client_id may be absent.
  private_key_jwt: (form) => subjectOf(form.get('client_assertion') ?? ''),
}

function subjectOf(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt(assertion)
    return typeof sub === 'string' ? sub : undefined
  } catch {
    return undefined
  }
}

/** Returns the client that a form names. The engine rejects a form that names two. */
export function identifyClient(form: URLSearchParams): string | undefined {
  for (const clientNamedIn of Object.values(clientNamedBy)) {
    const clientId = clientNamedIn(form)
    if (clientId !== undefined) return clientId
  }
  return undefined
}
