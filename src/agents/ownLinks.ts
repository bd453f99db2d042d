/** Returns every URL of this origin in a text, without query and fragment. */
export function ownLinks(text: string, issuer: string): string[] {
  const found = text.match(/https?:\/\/[^\s"'`<>()|\\]+/g) ?? []
  const own = found.flatMap((address) => {
    // Without the punctuation at its end. The anchor keeps the search linear: a school's text can have any number of dots.
    const url = URL.parse(/^.*[^.,;:]/.exec(address)?.[0] ?? '')
    return url && url.origin === new URL(issuer).origin && url.pathname !== '/' ? [url.origin + url.pathname] : []
  })
  return [...new Set(own)]
}
