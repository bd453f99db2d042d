/** Identifies the account whose second factors are meant. */
export interface FactorOwner {
  schoolId: string
  accountId: string
}
