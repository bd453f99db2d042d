export interface EndingGrant {
  schoolId: string
  grantId: string
  accountId: string
  clientId: string
}

export interface GrantRevocation {
  /** `person`: on a page; `api`: a call to the API; `school`: its staff; `deletion`: the scheduled deletion of the account. */
  by: 'person' | 'api' | 'school' | 'deletion'
  staff?: string | undefined
  client?: string | undefined
  requestId?: string | undefined
  address?: string | undefined
}
