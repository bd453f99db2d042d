/* Creates and uses passkeys (Web Authentication Level 3). A page that has no form of a passkey does not load it. */

const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const descriptors = (list = []) => list.map((descriptor) => ({ ...descriptor, id: bytes(descriptor.id) }))

const parse = ({ challenge, user, excludeCredentials, allowCredentials, ...options }) => ({
  ...options,
  challenge: bytes(challenge),
  ...(user && { user: { ...user, id: bytes(user.id) }, excludeCredentials: descriptors(excludeCredentials) }),
  ...(allowCredentials && { allowCredentials: descriptors(allowCredentials) }),
})

const serialize = ({ id, type, response }) => {
  const members = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'].filter((name) => response[name])
  return JSON.stringify({
    id,
    rawId: id,
    type,
    response: {
      ...Object.fromEntries(members.map((name) => [name, text(response[name])])),
      transports: response.getTransports?.() ?? [],
    },
  })
}

const isSupported = typeof PublicKeyCredential === 'function' && navigator.credentials !== undefined
let waiting = new AbortController()

for (const form of document.querySelectorAll('form.passkey')) {
  const { ceremony } = form.dataset
  const isAutofill = 'autofill' in form.dataset
  const show = (name, isShown = true) => {
    const element = form.querySelector(`[data-shown="${name}"]`)
    if (element) element.hidden = !isShown
  }

  /** Asks the browser, then submits the form with its answer. */
  const run = async (more) => {
    const credential = await navigator.credentials[ceremony]({ publicKey: parse(JSON.parse(form.dataset.options)), ...more })
    if (!credential) return
    form.elements.passkey.value = serialize(credential)
    // The hidden form has no boxes. The boxes of the visible form count.
    const ticked = isAutofill ? document.querySelectorAll('form:not(.passkey) input[type="checkbox"]:checked') : []
    for (const { name, value } of ticked) form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
    form.submit()
  }

  show('no-script', false)
  if (isAutofill) {
    const isOffered = isSupported && (await PublicKeyCredential.isConditionalMediationAvailable?.())
    // Without a passkey, or if the person chooses none, nothing happens.
    if (isOffered) run({ mediation: 'conditional', signal: waiting.signal }).catch(() => undefined)
  } else if (isSupported) {
    show('ready')
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      // A browser runs one ceremony at a time.
      waiting.abort()
      waiting = new AbortController()
      show('failed', false)
      run({ signal: waiting.signal }).catch(() => show('failed'))
    })
  } else show('unsupported')
}
