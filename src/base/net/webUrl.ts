export const maxUrlLength = 2000

const visible = /^[^\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]+$/u

/** True for an absolute http or https URL without credentials, spaces and invisible characters. */
export function isWebUrl(text: string): boolean {
  if (text.length > maxUrlLength || !visible.test(text)) return false
  const url = URL.parse(text)
  return url !== null && /^https?:\/\//i.test(text) && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

export const isLinkable = (text: string): boolean => isWebUrl(text) || (isMailto(text) && text.length <= maxUrlLength)

const isMailto = (text: string): boolean => /^mailto:[^\s@]+@[^\s@]+$/i.test(text) && visible.test(text)
