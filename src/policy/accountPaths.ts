/** Paths of the account pages. Routes, links between pages and e-mail links read this table. */
export const accountPaths = {
  home: '/account',
  signIn: '/account/sign-in',
  signUp: '/account/sign-up',
  finishSignUp: '/account/sign-up/finish',
  forgottenPassword: '/account/password',
  newPassword: '/account/password/new',
  email: '/account/email',
  apps: '/account/apps',
  revokeApp: '/account/apps/revoke',
  removeApp: '/account/apps/remove',
  revokeAllApps: '/account/apps/revoke-all',
  keep: '/account/keep',
  signOutEverywhere: '/account/sign-out-everywhere',
} as const

/** Adds query parameters to a path, without those that have no value. */
export function withQuery(path: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}
