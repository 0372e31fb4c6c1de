import { MAX_USER_DATA_BASE64 } from '@mainstay/contract/compute/instance-rules'

/** Text as base64 of its UTF-8 bytes. Lines of Windows become those that a shell understands. */
export function encodeScript(text: string): string {
  const bytes = new TextEncoder().encode(text.replaceAll('\r\n', '\n'))
  let characters = ''
  for (const byte of bytes) characters += String.fromCharCode(byte)
  return btoa(characters)
}

/** The most bytes that a script may have: base64 makes four characters of three. */
export const maxScriptBytes = (MAX_USER_DATA_BASE64 / 4) * 3

export const scriptBytes = (text: string): number => new TextEncoder().encode(text.replaceAll('\r\n', '\n')).length

export type ScriptKind = 'none' | 'script' | 'cloud-config' | 'unknown'

/** What cloud-init would take it for, by its first line. */
export function scriptKind(text: string): ScriptKind {
  if (text.trim() === '') return 'none'
  if (text.startsWith('#!')) return 'script'
  return /^#cloud-config\s*$/m.test(text.split('\n')[0] ?? '') ? 'cloud-config' : 'unknown'
}
