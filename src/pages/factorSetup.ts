/** The parts of a page on which a person sets up a second factor. */
export interface FactorSetup {
  /** The secret of an authenticator app, as a QR code and as text. */
  qr: { size: number; path: string; label: string; typed: string; secret: string } | undefined
  /** Recovery codes. They are shown once. */
  codes: readonly string[]
}
