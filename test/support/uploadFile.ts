/** Announces an image, or a file of another purpose, and sends its bytes. Returns the file as the service describes it. */
export async function uploadFile(
  issuer: string,
  token: string,
  bytes: Uint8Array,
  purpose = 'image',
): Promise<{ id: string; url: string }> {
  const announced = { filename: 'kiln.png', content_type: 'image/png', purpose, byte_size: bytes.length }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const reply = await fetch(`${issuer}/api/v1/storage/uploads`, { method: 'POST', headers, body: JSON.stringify(announced) })
  if (reply.status !== 201) throw new Error(`announced: ${reply.status} ${await reply.text()}`)
  const { upload } = (await reply.json()) as { upload: { url: string; headers: Record<string, string> } }
  const put = await fetch(upload.url, { method: 'PUT', body: new Uint8Array(bytes), headers: upload.headers })
  if (!put.ok) throw new Error(`sent: ${put.status} ${await put.text()}`)
  return (await put.json()) as { id: string; url: string }
}
