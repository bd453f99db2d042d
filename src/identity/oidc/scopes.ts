import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { checkResponseMode } from './formPost.ts'

export interface AuthorizationRules {
  /** Every scope name, in the order in which it is advertised. */
  scopes: readonly string[]
  requireState: boolean
}

/** Returns the scopes of a list that a role can grant; undefined without a list. */
export const withinRole = (scope: string | undefined, grantable: ReadonlySet<string>): string | undefined =>
  scope
    ?.split(' ')
    .filter((name) => grantable.has(name))
    .join(' ')

/** Accepted because many clients send it; never advertised, shown or granted: refresh tokens depend on the grant type. */
const tolerated = 'offline_access'

/** Configures the scopes, and the checks of an authorization request that the engine does not make (interface section 4.1). */
export function scopes({ scopes: names, requireState }: AuthorizationRules): Pick<Configuration, 'scopes' | 'extraParams'> {
  return {
    scopes: [...names],
    extraParams: {
      scope: (ctx) => checkScope(ctx, new Set(names)),
      state(_ctx, state) {
        if (requireState && !state) throw new errors.InvalidRequest('state is required: send a random value and compare it in the answer')
      },
      response_mode({ oidc }, mode) {
        try {
          checkResponseMode(mode, oidc.params?.redirect_uri)
        } catch (error) {
          Object.assign(oidc.params ?? {}, { response_mode: undefined })
          throw error
        }
      },
    } as NonNullable<Configuration['extraParams']>,
  }
}

// The engine has removed unknown names from its copy already: the query is what the client sent.
function checkScope(ctx: KoaContextWithOIDC, known: ReadonlySet<string>): void {
  const requested = String(ctx.query.scope ?? '')
    .split(' ')
    .filter(Boolean)
  if (requested.length === 0 || requested.every((name) => name === tolerated)) {
    const refusal = new errors.InvalidScope(
      'scope is required: name what you need, separated by spaces; scopes_supported lists what there is',
      '',
    )
    throw Object.assign(refusal, { scope: undefined })
  }
  const unknown = requested.filter((name) => !known.has(name) && name !== tolerated)
  if (unknown.length > 0) {
    const names = unknown.join(' ').slice(0, 200)
    throw new errors.InvalidScope(`unknown scope: ${names}; scopes_supported lists what there is`, names)
  }
}
