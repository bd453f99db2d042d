import type { Adapter } from '../fourConsents.ts'
import type { nodeLibraries } from '../libraries.ts'
import { arctic } from './arctic.ts'
import { authJs, authJs01 } from './authJs.ts'
import { clientOauth2 } from './clientOauth2.ts'
import { expressOpenidConnect, expressOpenidConnect2 } from './expressOpenidConnect.ts'
import { mcpClient } from './mcpClient.ts'
import { mcpSdk } from './mcpSdk.ts'
import { mcpSdk110 } from './mcpSdk110.ts'
import { oauth4webapi } from './oauth4webapi.ts'
import { oauth4webapi1 } from './oauth4webapi1.ts'
import { oidcClientTs, oidcClientTs2 } from './oidcClientTs.ts'
import { openidClient } from './openidClient.ts'
import { openidClient1 } from './openidClient1.ts'
import { passport, passport01 } from './passport.ts'
import { passportOauth2, passportOauth2First } from './passportOauth2.ts'
import { simpleOauth2 } from './simpleOauth2.ts'

/** The adapters of the libraries from npm. */
export const nodeAdapters: Record<(typeof nodeLibraries)[number]['id'], Adapter> = {
  openidClient,
  openidClient1,
  oauth4webapi,
  oauth4webapi1,
  mcpSdk,
  mcpSdk110,
  mcpClient,
  simpleOauth2,
  oidcClientTs,
  oidcClientTs2,
  passport,
  passport01,
  passportOauth2,
  passportOauth2First,
  expressOpenidConnect,
  expressOpenidConnect2,
  authJs,
  authJs01,
  arctic,
  clientOauth2,
}
