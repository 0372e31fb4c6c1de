import { MAX_USER_DATA_BASE64 } from '@mainstay/contract/compute/instance-rules'

/** Encodes a script as base64 of its UTF-8 bytes. CRLF is converted to LF, which shells require. */
export function encodeScript(text: string): string {
  const bytes = new TextEncoder().encode(text.replaceAll('\r\n', '\n'))
  let characters = ''
  for (const byte of bytes) characters += String.fromCharCode(byte)
  return btoa(characters)
}

/** Maximum script size in bytes: base64 encodes 3 bytes as 4 characters. */
export const maxScriptBytes = (MAX_USER_DATA_BASE64 / 4) * 3

export const scriptBytes = (text: string): number => new TextEncoder().encode(text.replaceAll('\r\n', '\n')).length

export type ScriptKind = 'none' | 'script' | 'cloud-config' | 'unknown'

/** Detects the script type from the first line, as cloud-init does. */
export function scriptKind(text: string): ScriptKind {
  if (text.trim() === '') return 'none'
  if (text.startsWith('#!')) return 'script'
  return /^#cloud-config\s*$/m.test(text.split('\n')[0] ?? '') ? 'cloud-config' : 'unknown'
}
