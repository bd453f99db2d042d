/** One A4 page with these lines, the first one large. A PDF (ISO 32000-1) with nothing in it but text in Latin letters. */
export function pdfOf([title = '', ...lines]: readonly string[]): Buffer {
  const page = [
    'BT /F1 22 Tf 72 760 Td',
    `(${escaped(title)}) Tj`,
    '/F1 12 Tf 0 -18 Td',
    ...lines.map((line) => `0 -18 Td (${escaped(line)}) Tj`),
    'ET',
  ].join('\n')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const place = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`
  return Buffer.from(`${text}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`, 'latin1')
}

// Letters other than Latin ones would need another font.
const escaped = (text: string): string => text.replace(/[^\x20-\x7e]/g, '-').replace(/[\\()]/g, '\\$&')
