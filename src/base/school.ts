/** A school: the tenant, and its one origin. */
export interface School {
  id: string
  slug: string
  /** Byte-exact, from configuration, without a trailing slash. */
  issuer: string
}
