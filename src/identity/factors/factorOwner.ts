export interface FactorOwner {
  schoolId: string
  accountId: string
}
