/** Returns a function that writes the `time` of a log line (ISO 8601, UTC) as pino expects it. It computes the text of a second once. */
export function createLogTime(): (now?: number) => string {
  let second = Number.NaN
  let text = ''
  return (now = Date.now()) => {
    const ofNow = Math.floor(now / 1000)
    if (ofNow !== second) {
      second = ofNow
      text = new Date(ofNow * 1000).toISOString().slice(0, -4)
    }
    return `,"time":"${text}${String(now - ofNow * 1000).padStart(3, '0')}Z"`
  }
}
