import { spawn } from 'node:child_process'
import { reasonIn } from '../host/reasons'

/** Downloading a kernel over a slow connection takes minutes. */
const WITHIN_MS = 20 * 60_000
const MOST_SAID = 4000

/** The last step named by the script, and the output that follows it. */
const whyFailed = (said: string): string => reasonIn(said.split(/^(?:guest-image|file-reader): /m).at(-1) ?? '')

/**
 * Runs the script of a small guest, which keeps an existing image if it matches the recipe. Rejects with the failed step and
 * the reason.
 */
export function buildGuest({ script, image }: { script: string; image: string }, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // runs in its own process group, so that its children are killed along with it
    const child = spawn('sh', [script, image], { detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // already exited
      }
    }
    const timer = setTimeout(end, WITHIN_MS)
    signal.addEventListener('abort', end, { once: true })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-MOST_SAID)))
    const over = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    }
    child.once('error', (error) => {
      over()
      reject(error)
    })
    child.once('close', (code) => {
      over()
      if (code === 0) return resolve()
      reject(new Error(whyFailed(said) || `the script ended with ${code ?? 'a signal'}`))
    })
  })
}
