/** Returns every URL of this origin in a text, without query and fragment. */
export function ownLinks(text: string, issuer: string): string[] {
  const found = text.match(/https?:\/\/[^\s"'`<>()|\\]+/g) ?? []
  const own = found.flatMap((address) => {
    const url = URL.parse(address.replace(/[.,;:]+$/, ''))
    return url && url.origin === new URL(issuer).origin && url.pathname !== '/' ? [url.origin + url.pathname] : []
  })
  return [...new Set(own)]
}
