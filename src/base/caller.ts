/** The role of a person in the school. A person without a staff row is a learner. */
export const roles = ['owner', 'admin', 'lecturer', 'learner'] as const
export type Role = (typeof roles)[number]

/** A caller without a token, who sees the public view and gets no challenge. */
export interface AnonymousCaller {
  kind: 'anonymous'
}

/** A person who has granted a client some of their permissions. A call needs the scope, the current role and the row rule. */
export interface PersonCaller {
  kind: 'person'
  accountId: string
  personId: string | null
  lecturerId: string | null
  role: Role
  scopes: ReadonlySet<string>
  /** Scopes of the token that the role or the school does not allow the app now. They are ignored, and requesting them again would not help. */
  withheldScopes?: ReadonlySet<string>
  /** Empty if the person acts themselves, on the account pages. */
  clientId: string
  grantId: string
  /** True if the person decides before the app does what cannot be undone. */
  asksFirst?: boolean | undefined
  /** True if the school lets the app read only. */
  isReadOnly?: boolean | undefined
  /** True if the app is paused when it does something unusual. */
  isWatched?: boolean | undefined
  /** The rules of the school by which the app asks first. */
  rules?: AppRules | undefined
  /** The language of the page on which the person acts, for e-mails about the action. */
  language?: string | undefined
  /** The operating system user who acts in the name of the person, with a command. */
  operator?: string | undefined
}

/** The rules of a school by which every app asks before it acts. */
export interface AppRules {
  askAbove: Thresholds
  /** True if another owner or admin than the person behind the app decides about its deletions. */
  needsSecond: boolean
}

/** The most that a request may change or cost without a decision; null for no limit. */
export interface Thresholds {
  /** Objects that are changed or deleted. */
  rows: number | null
  /** People who are concerned: by a changed object of theirs, or by an e-mail. */
  people: number | null
  /** In the smallest unit of the currency. */
  amount: number | null
}

export type Caller = AnonymousCaller | PersonCaller

interface InSchool {
  schoolId: string
}

/** A caller with the school whose rows they read, as visibility rules and selections take it. */
export type Visitor = AnonymousCaller & InSchool
export type PersonViewer = PersonCaller & InSchool
export type Viewer = Visitor | PersonViewer

/** Returns the viewer for a person who acts on a page, without an app. */
export const viewerOnPage = (
  { accountId, personId, lecturerId, role }: Pick<PersonCaller, 'accountId' | 'personId' | 'lecturerId' | 'role'>,
  schoolId: string,
): PersonViewer => ({
  ...{ kind: 'person', accountId, personId, lecturerId, role, schoolId },
  ...{ scopes: new Set(), clientId: '', grantId: '' },
})

/** The keys that every visibility rule must have. Owner and admin differ in actions only. */
export const audiences = ['anonymous', 'learner', 'lecturer', 'staff'] as const
export type Audience = (typeof audiences)[number]

export function audienceOf(caller: Caller): Audience {
  if (caller.kind === 'anonymous') return 'anonymous'
  return caller.role === 'owner' || caller.role === 'admin' ? 'staff' : caller.role
}

/** Returns the caller of a token: scopes that cannot be granted now are withheld. */
export function callerFrom(
  person: Pick<PersonCaller, 'accountId' | 'personId' | 'lecturerId' | 'role'>,
  token: { scopes: Iterable<string>; clientId: string; grantId: string } & Pick<
    PersonCaller,
    'asksFirst' | 'isReadOnly' | 'isWatched' | 'rules'
  >,
  grantable: ReadonlySet<string>,
): PersonCaller {
  const granted = [...token.scopes]
  const withheld = granted.filter((scope) => !grantable.has(scope))
  return {
    kind: 'person',
    accountId: person.accountId,
    personId: person.personId,
    lecturerId: person.lecturerId,
    role: person.role,
    scopes: new Set(withheld.length === 0 ? granted : granted.filter((scope) => grantable.has(scope))),
    withheldScopes: new Set(withheld),
    clientId: token.clientId,
    grantId: token.grantId,
    asksFirst: token.asksFirst,
    isReadOnly: token.isReadOnly,
    isWatched: token.isWatched,
    rules: token.rules,
  }
}
