const maxPath = 500

/**
 * Returns the form in which a former path is stored and looked up: decoded, composed, in lower case and without a slash at the end.
 * Undefined for a text that cannot be the path of a page.
 */
export function formerPath(path: string): string | undefined {
  if (path.length > maxPath * 9 || !/^\/[^\s?#\\]*$/.test(path)) return undefined
  try {
    const form = decodeURIComponent(path).normalize('NFC').toLowerCase().replace(/\/+$/, '')
    return form.length > 1 && form.length <= maxPath && !/^\/\/|[\p{Cc}\p{Cs}\\]/u.test(form) ? form : undefined
  } catch {
    return undefined
  }
}
