#!/usr/bin/env node
// The health check of the image: exits with 0 if the process responds, and with 1 otherwise. JavaScript, because it runs every few seconds.
const { ok } = await fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/livez`).catch(() => ({ ok: false }))
process.exit(ok ? 0 : 1)
