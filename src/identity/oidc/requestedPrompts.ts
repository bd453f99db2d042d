/** Values of `prompt` that the metadata list (OpenID Connect Core section 3.1.2.1, OpenID Connect Prompt Create section 4). */
export const promptValues = ['none', 'login', 'consent', 'select_account', 'create'] as const

/**
 * Rewrites `prompt` to the values of the engine. `select_account` needs no page: every page that asks a person names the account and links to
 * another sign-in. `create` is a sign-in that begins with the sign-up page.
 */
export function rewritePrompts(query: URLSearchParams): { isSignUp: boolean } {
  const [prompt, ...more] = query.getAll('prompt')
  // The engine refuses repeated parameters.
  if (prompt === undefined || more.length > 0) return { isSignUp: false }
  const sent = prompt.split(' ').filter(Boolean)
  const isSignUp = sent.includes('create')
  const rewritten = new Set(
    sent.flatMap((value) => {
      if (value === 'create') return ['login']
      // `none` with any other value is an error, which the engine reports.
      if (value === 'select_account') return sent.includes('none') ? ['consent'] : []
      return [value]
    }),
  )
  const text = [...rewritten].join(' ')
  if (text === '') query.delete('prompt')
  else query.set('prompt', text)
  return { isSignUp }
}
