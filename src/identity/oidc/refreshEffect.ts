/** The members of a stored refresh token that decide what a refresh leads to. */
export interface RefreshPayload {
  scope?: string
  /** One resource if the token is bound to it, otherwise the ones to choose from. */
  resource?: string | string[]
}

/** The effect of a refresh request. Two requests with the same effect mean the same. */
export interface RefreshEffect {
  /** The scopes that were both requested and granted, in the order of the grant; empty if nothing is left. */
  scope: string
  resource: string | null
}

/**
 * Returns the effect of a refresh request. Clients repeat the scope of their authorization request, which may be more than the person
 * allowed: a refresh gets what it may have (RFC 6749 sections 3.3 and 6).
 */
export function refreshEffect(form: URLSearchParams, { scope: granted = '', resource: bound }: RefreshPayload): RefreshEffect {
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
