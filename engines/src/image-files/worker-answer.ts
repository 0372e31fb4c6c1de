import type { ChildProcess } from 'node:child_process'
import process from 'node:process'
import * as z from 'zod'
import { imageFaultCodes } from './image-fault'

/* Reads the answers of the image worker: at most 64 KiB, and only in the expected format. */

const mostAnswerBytes = 64 * 1024
const keptErrorBytes = 8 * 1024

const sha = (letters: number) => z.string().regex(new RegExp(`^[0-9a-f]{${letters}}$`))
const Answer = z.union([
  z.strictObject({ progress: z.number().int().min(0).max(100) }),
  z.strictObject({
    result: z.strictObject({
      format: z.enum(['qcow2', 'raw', 'vmdk', 'vdi', 'vpc', 'vhdx', 'parallels', 'iso']),
      virtualBytes: z.number().int().nonnegative().nullable(),
      digests: z.strictObject({ md5: sha(32), sha256: sha(64) }).nullable(),
      isIncremental: z.boolean().optional(),
    }),
  }),
  z.strictObject({ refusal: z.strictObject({ code: z.enum(imageFaultCodes), message: z.string().max(500) }) }),
  z.strictObject({ overflow: z.literal(true) }),
])

/** Kills a worker and all its child processes. */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // the process has already exited
  }
}

type LastAnswer = Exclude<z.infer<typeof Answer>, { progress: number }>

/**
 * Reads the answers of a worker until it exits. The answer is null if there was no result. A worker that sends too much
 * or anything unexpected is killed.
 */
export function answerOf(
  child: ChildProcess,
  onProgress: ((percent: number) => void) | undefined,
): Promise<{ answer: LastAnswer | null; errors: string }> {
  return new Promise((resolve, reject) => {
    let answer: LastAnswer | null = null
    let isDistrusted = false
    let errors = ''
    let line = ''
    let saidBytes = 0
    const hear = (text: string) => {
      let said: z.infer<typeof Answer>
      try {
        said = Answer.parse(JSON.parse(text))
      } catch {
        isDistrusted = true
        return endGroup(child)
      }
      if ('progress' in said) onProgress?.(said.progress)
      else answer ??= said
    }
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      saidBytes += chunk.length
      if (saidBytes > mostAnswerBytes) isDistrusted = true
      if (isDistrusted) return endGroup(child)
      const [first = '', ...lines] = chunk.split('\n')
      line += first
      for (const next of lines) {
        hear(line)
        line = next
      }
    })
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      if (errors.length < keptErrorBytes) errors += chunk.slice(0, keptErrorBytes)
    })
    child.once('error', reject)
    child.once('close', () => resolve({ answer: isDistrusted ? null : answer, errors: errors.trim() }))
  })
}
