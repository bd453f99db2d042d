import { decodeJwt } from 'jose'
import type { ClientAuthMethod } from './clientOptions.ts'
import type { ClientRequest } from './endpointHandler.ts'
import { namedClient } from './namedClient.ts'

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

/** Notes the client that the form names. The engine authenticates it before it does anything else, and rejects a form that names two. */
export function identifyClient({ ctx, exchange }: ClientRequest): void {
  for (const clientNamedIn of Object.values(clientNamedBy)) exchange.clientId ??= clientNamedIn(exchange.form)
  ctx.state.clientId = namedClient(exchange.clientId)
}
