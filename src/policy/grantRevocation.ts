/** A grant that ends, with what the audit trail names of it. */
export interface EndingGrant {
  schoolId: string
  grantId: string
  accountId: string
  clientId: string
}

/** The end of a grant, as the audit trail describes it. */
export interface GrantRevocation {
  /** `person`: on a page; `api`: a call to the API; `school`: its staff; `deletion`: the scheduled deletion of the account. */
  by: 'person' | 'api' | 'school' | 'deletion'
  /** The account of the staff. */
  staff?: string | undefined
  /** The client that sent the request. */
  client?: string | undefined
  requestId?: string | undefined
  address?: string | undefined
}
