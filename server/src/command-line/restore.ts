import process from 'node:process'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/**
 * Asks for the secret key of a backup without showing the input. A program can send the key as the first line of
 * standard input.
 */
export async function askForKey(): Promise<string> {
  const isTerminal = process.stdin.isTTY
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: isTerminal })
  if (isTerminal) process.stderr.write('Key of the backup (AGE-SECRET-KEY-1…): ')
  try {
    for await (const line of lines) if (line.trim() !== '') return line.trim()
    return ''
  } finally {
    lines.close()
    if (isTerminal) process.stderr.write('\n')
  }
}
