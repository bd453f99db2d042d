/** The members of a stored code or refresh token that decide what its use leads to. */
export interface Granted {
  /** Only of a refresh token: a code gets all of its scopes, whatever its request names. */
  scope?: string
  /** One resource if the token is bound to it, otherwise the ones to choose from. */
  resource?: string | string[]
}

/** The effect of a token request. Two requests with the same effect mean the same. */
export interface TokenEffect {
  /** The scopes that were both requested and granted, in the order of the grant; empty if nothing is left, and for a code. */
  scope: string
  resource: string | null
}

/**
 * Returns the effect of a token request. Clients repeat the scope of their authorization request at the refresh, which may be more than the
 * person allowed: a refresh gets what it may have (RFC 6749 sections 3.3 and 6).
 */
export function tokenEffect(form: URLSearchParams, { scope: granted = '', resource: bound }: Granted): TokenEffect {
  const requested = new Set(namesIn(form.get('scope') ?? ''))
  return {
    scope:
      requested.size === 0
        ? granted
        : namesIn(granted)
            .filter((name) => requested.has(name))
            .join(' '),
    resource: form.get('resource') || (typeof bound === 'string' ? bound : null),
  }
}

const namesIn = (scope: string): string[] => scope.split(/\s+/).filter(Boolean)
