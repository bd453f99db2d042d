const timeoutMilliseconds = 8000

export interface SmtpCheck {
  /** True if the server offered STARTTLS, or the connection is TLS from the start. */
  isEncrypted: boolean
}

/**
 * Connects to a mail server, greets it, starts TLS if the server offers it, and signs in. Sends nothing.
 * @throws Error with the reason of the server
 */
export async function checkSmtp(url: string): Promise<SmtpCheck> {
  await verify(url, false)
  const isEncrypted = await verify(url, true).then(
    () => true,
    () => false,
  )
  return { isEncrypted: isEncrypted || url.startsWith('smtps:') }
}

/**
 * Sends a short test message.
 * @throws Error with the reason of the server
 */
export async function sendTestMail(url: string, { from, to }: { from: string; to: string }): Promise<void> {
  const transport = await open(url, false)
  try {
    const text = 'This message shows that the mail server accepts e-mails of Schoolgate.\n'
    const options = { disableFileAccess: true, disableUrlAccess: true }
    await transport.sendMail({
      from: { name: 'Schoolgate', address: from },
      to: { name: '', address: to },
      subject: 'Test message of Schoolgate',
      text,
      ...options,
    })
  } finally {
    transport.close()
  }
}

async function verify(url: string, requireTLS: boolean): Promise<void> {
  const transport = await open(url, requireTLS)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

async function open(url: string, requireTLS: boolean) {
  const { createTransport } = await import('nodemailer')
  const limits = { connectionTimeout: timeoutMilliseconds, greetingTimeout: timeoutMilliseconds, socketTimeout: timeoutMilliseconds }
  return createTransport({ url, ...(requireTLS && { requireTLS }), ...limits })
}
