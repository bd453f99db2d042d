import type { Adapter } from '../fourConsents.ts'
import type { nodeLibraries } from '../libraries.ts'
import { arctic } from './arctic.ts'
import { authJs } from './authJs.ts'
import { clientOauth2 } from './clientOauth2.ts'
import { expressOpenidConnect } from './expressOpenidConnect.ts'
import { mcpClient } from './mcpClient.ts'
import { mcpSdk } from './mcpSdk.ts'
import { oauth4webapi } from './oauth4webapi.ts'
import { oidcClientTs } from './oidcClientTs.ts'
import { openidClient } from './openidClient.ts'
import { passport } from './passport.ts'
import { simpleOauth2 } from './simpleOauth2.ts'

/** The adapters of the libraries from npm. */
export const nodeAdapters: Record<(typeof nodeLibraries)[number]['id'], Adapter> = {
  openidClient,
  oauth4webapi,
  mcpSdk,
  mcpClient,
  simpleOauth2,
  oidcClientTs,
  passport,
  expressOpenidConnect,
  authJs,
  arctic,
  clientOauth2,
}
