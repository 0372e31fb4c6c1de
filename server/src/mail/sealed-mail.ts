import { Secret } from '@mainstay/engines/ports/secret'
import * as z from 'zod'
import { seal, unseal } from '../session/sealing'

/** Email content that must not be readable in the database because it contains a secret link. */
const Content = z.strictObject({ text: z.string(), html: z.string() })
export type MailContent = z.infer<typeof Content>

const Args = z.strictObject({ to: z.string(), subject: z.string(), sealed: z.string() })
/** A queued email whose content is encrypted with the installation's sealing key. */
export type SealedMail = z.infer<typeof Args>
export const sealedMailJob = { name: 'mail.send_sealed', args: Args }

const placeOf = (to: string): string => `mail to ${to}`

export const sealContent = (content: MailContent, to: string, key: Secret): string =>
  seal(new Secret(JSON.stringify(content)), key, placeOf(to)).toString('base64')

/** Decrypts the content of a queued email. Returns null if it was encrypted with another server's key. */
export function openContent({ to, sealed }: SealedMail, key: Secret): MailContent | null {
  const opened = unseal(Buffer.from(sealed, 'base64'), key, placeOf(to))
  return opened && Content.parse(JSON.parse(opened.reveal()))
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)

/** A short message with one link, as plain text and HTML. */
export function letterWithLink(letter: {
  before: readonly string[]
  link: { url: string; label: string }
  after: readonly string[]
}): MailContent {
  const { before, link, after } = letter
  const paragraph = (text: string) => `<p>${text}</p>`
  const html = [
    ...before.map(escaped),
    `<a href="${escaped(link.url)}">${escaped(link.label)}</a>`,
    ...after.map(escaped),
  ]
  return {
    text: [...before, link.url, ...after].map((part) => `${part}\n`).join('\n'),
    html: `<!doctype html><html lang="en"><body style="font-family:sans-serif;line-height:1.5">${html.map(paragraph).join('')}</body></html>`,
  }
}
