/*
 * Sends a form once, counts what is ticked on the consent page, copies, prints, counts down on the page of the manual code, and submits the form
 * that posts the response to the app. All pages work
 * without it.
 */

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)

// The service answers a repeated form with the same redirect. Disabled buttons show that the first press was enough.
const hold = (isHeld) => {
  if (isHeld) document.body.dataset.sent = ''
  else delete document.body.dataset.sent
  for (const button of document.querySelectorAll('form[method="post"] button')) button.disabled = isHeld
}
document.addEventListener('submit', (event) => {
  // The script of passkeys sends its form later, or not.
  if (event.defaultPrevented) return
  if ('sent' in document.body.dataset) return event.preventDefault()
  document.body.dataset.sent = ''
  // After the browser has collected the form: a disabled button would not be part of it.
  setTimeout(hold, 0, true)
  // An address that opens an app leaves the page in place.
  setTimeout(hold, 10_000, false)
})
// Also when the browser shows the page again from its history.
window.addEventListener('pageshow', () => hold(false))

const sum = document.getElementById('sum')
if (sum) {
  const boxes = (within) => [...within.querySelectorAll('input[name="scope"]')]
  const count = () => {
    const all = boxes(document)
    const selected = all.filter((box) => box.checked)
    const others = selected.filter((box) => 'others' in box.dataset)
    sum.textContent = fill(others.length > 0 ? sum.dataset.others : sum.dataset.live, { selected: selected.length, all: all.length, others: others.length })
    for (const area of document.querySelectorAll('.area')) {
      const own = boxes(area)
      const text = fill(sum.dataset.area, { selected: own.filter((box) => box.checked).length, all: own.length })
      if (own.length > 0) area.querySelector('.count').textContent = text
    }
  }
  document.addEventListener('change', ({ target }) => {
    if (target.name === 'scope') document.querySelector('[data-preset][aria-current]')?.removeAttribute('aria-current')
    count()
  })
  window.addEventListener('pageshow', count)
  count()
  const writes = (box) => box.value.endsWith(':write')
  for (const preset of document.querySelectorAll('[data-preset]')) {
    preset.addEventListener('click', (event) => {
      event.preventDefault()
      const { preset: ticked } = preset.dataset
      for (const box of boxes(document)) {
        box.checked = !('marked' in box.dataset) && (ticked === 'all' || (ticked === 'read' && !writes(box)))
        if (box.checked) for (const area of document.querySelectorAll('.area')) area.open ||= area.contains(box)
      }
      for (const one of document.querySelectorAll('[data-preset]')) one.toggleAttribute('aria-current', one === preset)
      count()
    })
  }
}

for (const button of document.querySelectorAll('[data-copies]')) {
  const label = button.textContent
  button.parentElement.hidden = false
  const value = document.getElementById(button.dataset.copies)
  const select = () => getSelection().selectAllChildren(value)
  value.addEventListener('focus', select)
  button.addEventListener('click', async () => {
    select()
    // Without a secure context there is no clipboard, but the older command.
    if (navigator.clipboard) await navigator.clipboard.writeText(value.innerText)
    else document.execCommand('copy')
    button.textContent = button.dataset.done
    setTimeout(() => {
      button.textContent = label
    }, 3000)
  })
}

for (const button of document.querySelectorAll('[data-prints]')) {
  button.parentElement.hidden = false
  button.addEventListener('click', () => print())
}

const countdown = document.getElementById('countdown')
if (countdown) {
  const end = performance.now() + Number(countdown.dataset.seconds) * 1000
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000))
    const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
    countdown.textContent = left > 0 ? fill(countdown.dataset.text, { time }) : countdown.dataset.over
    countdown.hidden = false
    if (left === 0) clearInterval(timer)
  }
  const timer = setInterval(tick, 1000)
  tick()
}

document.querySelector('form[data-submits]')?.requestSubmit()
