/** Paths of the account pages. Routes, links between pages and e-mail links read this table. */
export const accountPaths = {
  /** The courses of the person. */
  home: '/account',
  courses: '/account/courses',
  membership: '/account/membership',
  orders: '/account/orders',
  profile: '/account/profile',
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
  events: '/account/events',
  enrol: '/account/enrol',
  comments: '/account/comments',
  changeComment: '/account/comments/change',
  deleteComment: '/account/comments/delete',
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
  /** Followed by the id of an activity. */
  undo: '/account/undo',
  pauseApp: '/account/apps/pause',
  appEnd: '/account/apps/end',
  renameApp: '/account/apps/rename',
  continueApp: '/account/apps/continue',
  asksFirst: '/account/apps/ask-first',
  /** Followed by the id of an approval. */
  approvals: '/account/approvals',
  keep: '/account/keep',
  signOutEverywhere: '/account/sign-out-everywhere',
  confirm: '/account/confirm',
  school: '/account/school',
  schoolSetUp: '/account/school/set-up',
  schoolIntegrations: '/account/school/integrations',
  schoolRules: '/account/school/rules',
  schoolAllowedApps: '/account/school/allowed-apps',
  schoolStaff: '/account/school/staff',
  schoolStaffInvite: '/account/school/staff/invite',
  schoolStaffRole: '/account/school/staff/role',
  schoolStaffRemove: '/account/school/staff/remove',
  schoolRemoveFactor: '/account/school/staff/second-factor',
  schoolPeople: '/account/school/people',
  schoolStatistics: '/account/school/statistics',
  schoolForms: '/account/school/forms',
  schoolComments: '/account/school/comments',
  schoolAudit: '/account/school/audit',
  schoolAuditCsv: '/account/school/audit.csv',
  schoolEndAccess: '/account/school/apps/end',
  schoolDisableApp: '/account/school/apps/disable',
  schoolEnableApp: '/account/school/apps/enable',
  schoolPauseApp: '/account/school/apps/pause',
  schoolContinueApp: '/account/school/apps/continue',
  schoolAgreeToApp: '/account/school/apps/agree',
  /** The connected apps; below it, the page of each client. */
  schoolApps: '/account/school/apps',
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

/** Returns the path of a document about an order. */
export const accountOrderPath = (id: string, document: 'invoice' | 'receipt'): string => `${accountPaths.orders}/${id}/${document}`

/** Returns the path of the page that shows what an app did with an authorization, by its public id. */
export const accountAppPath = (authorizationId: string): string => `${accountPaths.apps}/${authorizationId}`

/** Returns the path of the page on which a person decides about a request of an app, by its public id. */
export const accountApprovalPath = (approvalId: string): string => `${accountPaths.approvals}/${approvalId}`

/** Returns the path of the page that shows what an app did at the school. */
export const schoolAppPath = (clientId: string): string => `${accountPaths.schoolApps}/${encodeURIComponent(clientId)}`

/** Returns the path of the page on which staff read the answers to a form. */
export const accountFormPath = (id: string): string => `${accountPaths.schoolForms}/${id}`

/** Returns the path of the page on which a person reads a course. */
export const accountCoursePath = (slug: string): string => `${accountPaths.courses}/${encodeURIComponent(slug)}`

export const accountLessonPath = (slug: string, lessonId: string): string => `${accountCoursePath(slug)}/lessons/${lessonId}`

/** Returns the path that leads to the lesson with which a person continues. */
export const continuePath = (slug: string): string => `${accountCoursePath(slug)}/continue`
