import { createRequire } from 'node:module'
import type { INavigator } from 'oidc-client-ts'
import type { Adapter } from '../fourConsents.ts'

/** Creates an adapter of oidc-client-ts in a page: a public client. Its store and its navigation are replaced, because there is no browser. */
const oidcClientTsOf =
  (name: string): Adapter =>
  ({ issuer, publicClientId, redirectUri, signedOutUri }) => {
    const { InMemoryWebStorage, UserManager, WebStorageStateStore }: typeof import('oidc-client-ts') = createRequire(import.meta.url)(name)
    let address = ''
    const navigator: INavigator = {
      async prepare() {
        return {
          async navigate({ url }) {
            address = url
            return { url }
          },
          close() {},
        }
      },
      async callback() {},
    }
    const store = new WebStorageStateStore({ store: new InMemoryWebStorage() })
    const manager = new UserManager(
      {
        authority: issuer,
        client_id: publicClientId,
        redirect_uri: redirectUri,
        post_logout_redirect_uri: signedOutUri,
        stateStore: store,
        userStore: store,
        automaticSilentRenew: false,
        loadUserInfo: true,
      },
      navigator,
      navigator,
      navigator,
    )
    // Version 2.0 takes no navigators.
    Object.assign(manager, { _redirectNavigator: navigator, _iframeNavigator: navigator })
    return {
      credentials: { clientId: publicClientId, redirectUri },
      async begin(scope) {
        await manager.signinRedirect({ scope, nonce: 'a-nonce' })
        return address
      },
      async finish(redirect) {
        await manager.signinRedirectCallback(redirect.href)
      },
      async tokens() {
        const user = await manager.getUser()
        return { access_token: user?.access_token ?? '', refresh_token: user?.refresh_token ?? '', scope: user?.scope }
      },
      refresh: () => manager.signinSilent(),
      async revoke() {
        const user = await manager.getUser()
        await manager.revokeTokens(['refresh_token'])
        // The library forgets the token. Another page of the app may still have it.
        await manager.storeUser(user)
      },
      async signOut() {
        await manager.signoutRedirect()
        return address
      },
    }
  }

export const oidcClientTs = oidcClientTsOf('oidc-client-ts')
export const oidcClientTs2 = oidcClientTsOf('oidc-client-ts-2')
