import type { Keyring } from '../../base/keyring.ts'

/** By how many seconds the shared time is ahead of the engine's, which is the clock of this machine. */
export const secondsAhead = ({ now }: Pick<Keyring, 'now'>): number => Math.round((now() - Date.now()) / 1000)

/** Moves the times of a payload by which the engine judges it. The stores contain the shared time, and the engine sees its own. */
export function shifted<Payload extends { iat?: number | undefined; exp?: number | undefined }>(
  payload: Payload,
  seconds: number,
): Payload {
  const { iat, exp } = payload
  return { ...payload, ...(iat !== undefined && { iat: iat + seconds }), ...(exp !== undefined && { exp: exp + seconds }) }
}
