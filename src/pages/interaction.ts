import type Provider from 'oidc-provider'
import type { ClientOrigin } from '../identity/clients/clientOrigin.ts'
import type { Destination } from './destination.ts'

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** An authorization request that waits for a person, as stored. It contains nothing from the current request. */
export interface OpenInteraction {
  provider: Provider
  interaction: Interaction
  clientId: string
  /** The name that the client registered, cleaned for display; empty if it has none. */
  clientName: string
  origin: ClientOrigin | undefined
  /** Returns the protected name that an unverified client's name imitates. */
  imitated(): Promise<string | undefined>
  /** The word with which an unverified client's name claims to speak for the school. */
  claimedRole: string | undefined
  destination: Destination
  /** The account that the browser is signed in with. */
  accountId: string | undefined
  /** When the account signed in, in seconds since 1970. */
  signedInAt: number | undefined
  signIn: LaterSignIn | undefined
  /** The sign-in of this browser, if it happened after the authorization request began: for example, after a sign-up. */
  laterSignIn: LaterSignIn | undefined
}

export interface LaterSignIn {
  accountId: string
  ts: number
  amr: string[]
  acr?: string
  remember: boolean
}
