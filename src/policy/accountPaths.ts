/** Paths of the account pages. Routes, links between pages and e-mail links read this table. */
export const accountPaths = {
  home: '/account',
  picture: '/account/picture',
  removePicture: '/account/picture/remove',
  login: '/account/login',
  changePassword: '/account/login/password',
  changeEmail: '/account/login/email',
  resendEmail: '/account/login/email/resend',
  cancelEmail: '/account/login/email/cancel',
  sessions: '/account/sessions',
  endSession: '/account/sessions/end',
  endOtherSessions: '/account/sessions/end-others',
  notifications: '/account/notifications',
  renewCalendar: '/account/notifications/calendar',
  events: '/account/events',
  data: '/account/data',
  download: '/account/data/download',
  deleteAccount: '/account/data/delete',
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
  confirm: '/account/confirm',
  school: '/account/school',
  schoolIntegrations: '/account/school/integrations',
  schoolStaff: '/account/school/staff',
  schoolAudit: '/account/school/audit',
  schoolAuditCsv: '/account/school/audit.csv',
  schoolEndAccess: '/account/school/apps/end',
  schoolDisableApp: '/account/school/apps/disable',
  schoolEnableApp: '/account/school/apps/enable',
  security: '/account/security',
  authenticatorApp: '/account/security/app',
  removeAuthenticatorApp: '/account/security/app/remove',
  passkey: '/account/security/passkey',
  renamePasskey: '/account/security/passkey/rename',
  removePasskey: '/account/security/passkey/remove',
  recoveryCodes: '/account/security/recovery-codes',
} as const

/** Returns the path of the page on which a person registers for an event. */
export const accountEventPath = (slug: string): string => `${accountPaths.events}/${encodeURIComponent(slug)}`

/** Adds query parameters to a path, without those that have no value. */
export function withQuery(path: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}
