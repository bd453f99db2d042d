/** A school as every room knows it: the tenant, and the one address that it has. */
export interface School {
  id: string
  slug: string
  /** Byte-exact, from configuration, without a trailing slash. */
  issuer: string
}
