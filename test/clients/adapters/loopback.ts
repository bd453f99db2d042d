/** The redirect URI of programs that register themselves. */
export const loopbackRedirectUri = 'http://127.0.0.1:53682/callback'
