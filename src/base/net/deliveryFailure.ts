/** A failed attempt to deliver something. The message is stored and logged, so it contains no address, content or secret. */
export class DeliveryFailure extends Error {
  override readonly name = 'DeliveryFailure'
  /** True if no further attempt can succeed. */
  readonly isPermanent: boolean

  constructor(message: string, { isPermanent = false }: { isPermanent?: boolean } = {}) {
    super(message)
    this.isPermanent = isPermanent
  }
}
