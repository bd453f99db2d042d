import type { Role } from '../../base/caller.ts'
import type { School } from '../../base/school.ts'

/**
 * Authentication contexts in `acr`, weakest first. A password alone has none: no registered value says what it proves.
 * `phr` is for passkeys whose authenticator has verified the person (OpenID Connect EAP ACR Values section 4), the other one for a password
 * with a second factor (REFEDS MFA Profile).
 */
export const contexts = { multiFactor: 'https://refeds.org/profile/mfa', phishingResistant: 'phr' } as const

export type AuthenticationContext = (typeof contexts)[keyof typeof contexts]

const order: readonly string[] = Object.values(contexts)

export function strongest(one: AuthenticationContext | undefined, other: AuthenticationContext | undefined) {
  const rank = (context: AuthenticationContext | undefined): number => (context === undefined ? -1 : order.indexOf(context))
  return rank(one) > rank(other) ? one : other
}

/** Returns every context that a sign-in satisfies: a passkey is also more than one factor. */
export const satisfiedBy = (reached: string | undefined): readonly string[] =>
  order.slice(0, reached === undefined ? 0 : order.indexOf(reached) + 1)

/** The contexts that an authorization request names, in order of preference. */
export interface RequestedContexts {
  values: readonly string[]
  /** True if the request fails when none of them is reached (OpenID Connect Core section 5.5.1.1). */
  isEssential: boolean
}

/** Reads `acr_values` and the `acr` member of `claims` from the parameters of an authorization request, which were checked before. */
export function requestedContexts(parameters: { acr_values?: unknown; claims?: unknown }): RequestedContexts {
  const acr = typeof parameters.claims === 'string' ? acrOf(parameters.claims) : undefined
  if (acr) return acr
  const { acr_values: values } = parameters
  return { values: typeof values === 'string' ? values.split(' ').filter(Boolean) : [], isEssential: false }
}

/** Returns the value of `acr` for a request: the first requested one that the sign-in satisfies, otherwise the strongest. */
export function contextFor(reached: string | undefined, { values }: Pick<RequestedContexts, 'values'>): string | undefined {
  const satisfied = satisfiedBy(reached)
  return values.find((value) => satisfied.includes(value)) ?? satisfied.at(-1)
}

/** Returns true if a sign-in satisfies the request, or if the request names no context. */
export const isSatisfied = (reached: string | undefined, { values }: Pick<RequestedContexts, 'values'>): boolean =>
  values.length === 0 || values.some((value) => satisfiedBy(reached).includes(value))

function acrOf(claims: string): RequestedContexts | undefined {
  const { id_token: idToken }: { id_token?: { acr?: { essential?: unknown; value?: unknown; values?: unknown } | null } } =
    JSON.parse(claims)
  const acr = idToken?.acr
  if (!acr) return undefined
  const values = [...(Array.isArray(acr.values) ? acr.values : []), acr.value].filter((value) => typeof value === 'string')
  return { values, isEssential: acr.essential === true && values.length > 0 }
}

/**
 * The rule of a school about second factors: never asked, asked of people who have set one up, or required for the people of some roles.
 */
export type SecondStepRule = 'off' | 'optional' | { required_for: readonly Role[] }

export const isRequiredFor = (rule: SecondStepRule, role: Role): boolean => typeof rule === 'object' && rule.required_for.includes(role)

export interface SecondFactorRules {
  ruleOf(school: School): SecondStepRule
  /** Returns true if the person of this account needs a second factor by their current role. */
  isRequired(school: School, accountId: string): Promise<boolean>
  /** Returns every authentication context that people can reach at this school. */
  contexts(school: School): readonly AuthenticationContext[]
  /** Returns the contexts that this account can reach with the factors that it has, or has to set up. */
  reachable(school: School, accountId: string): Promise<readonly AuthenticationContext[]>
}
