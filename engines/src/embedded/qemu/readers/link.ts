import type { Readable, Writable } from 'node:stream'
import { ReaderFault } from '../../file-reader'
import { MOST_ANSWER_BYTES } from './answers'

const MOST_HEADER_BYTES = 64
const header = /^(ok|missing|failed) (\d{1,8})$/

/** Reads the first line of an answer; null if it is not complete. A malformed one has no outcome. */
function beginning(received: readonly Buffer[]) {
  const start = Buffer.concat(received).subarray(0, MOST_HEADER_BYTES)
  const at = start.indexOf(10)
  if (at < 0) return null
  const [, outcome = '', size = '0'] = header.exec(start.subarray(0, at).toString('latin1')) ?? []
  const from = at + 1
  return Number(size) > MOST_ANSWER_BYTES
    ? { outcome: '', from, end: from }
    : { outcome, from, end: from + Number(size) }
}

/**
 * Asks the guest, one question at a time. An answer that is late or malformed ends the link: `end` is called, and all
 * questions fail.
 */
export function openLink({ input, output, end }: { input: Writable; output: Readable; end: () => void }) {
  let give: ((answer: Buffer | ReaderFault) => void) | null = null
  let isBroken = false
  /** What has been received of the answer, and how much of it is expected. */
  let received: Buffer[] = []
  let length = 0
  let answer: { outcome: string; from: number; end: number } | null = null

  function breakOff(): void {
    if (isBroken) return
    isBroken = true
    received = []
    give?.(new ReaderFault('unreadable'))
    end()
  }

  output.on('data', (chunk: Buffer) => {
    if (isBroken) return
    received.push(chunk)
    length += chunk.length
    answer ??= beginning(received)
    if (answer === null) return length > MOST_HEADER_BYTES ? breakOff() : undefined
    if (length < answer.end) return
    const { outcome, from, end: expected } = answer
    if (!give || outcome === '' || length > expected) return breakOff()
    const told = give
    const bytes = Buffer.concat(received).subarray(from)
    give = null
    received = []
    length = 0
    answer = null
    told(outcome === 'ok' ? bytes : new ReaderFault(outcome === 'missing' ? 'missing' : 'unreadable'))
  })
  for (const stream of [input, output]) stream.on('error', breakOff)
  output.once('close', breakOff)

  let last: Promise<unknown> = Promise.resolve()
  function ask(question: string, withinMs: number): Promise<Buffer> {
    const answered = last.then(
      () =>
        new Promise<Buffer>((resolve, reject) => {
          if (isBroken) return reject(new ReaderFault('unreadable'))
          const timer = setTimeout(breakOff, withinMs)
          give = (told) => {
            clearTimeout(timer)
            if (told instanceof ReaderFault) reject(told)
            else resolve(told)
          }
          input.write(`${question}\n`)
        }),
    )
    last = answered.catch(() => undefined)
    return answered
  }
  return { ask, breakOff }
}
