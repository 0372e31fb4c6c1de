import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { QmpCommands } from './capture-disks'
import { QemuImgError } from './qemu-img'

/** How long the daemon may take to write the bitmaps of its disks. */
const END_WITHIN_MS = 60_000

/**
 * Opens a qcow2 disk with QEMU's storage daemon, which speaks QMP on its standard streams, and runs `work`. Closes the
 * disk afterwards, which saves its bitmaps. `more`: number of file descriptors that the daemon inherits, starting at 3.
 * Throws `QemuImgError` if the daemon fails.
 */
export async function withStorageDaemon<Result>(
  { file, node, more }: { file: string; node: string; more: number },
  work: (qmp: QmpCommands) => Promise<Result>,
): Promise<Result> {
  const disk = { driver: 'qcow2', 'node-name': node, backing: null, file: { driver: 'file', filename: file } }
  const child = spawn(
    'qemu-storage-daemon',
    ['--chardev', 'stdio,id=qmp', '--monitor', 'chardev=qmp', '--blockdev', JSON.stringify(disk)],
    {
      stdio: ['pipe', 'pipe', 'pipe', ...Array.from({ length: more }, () => 'inherit' as const)],
      env: { ...process.env, LC_ALL: 'C', MALLOC_ARENA_MAX: '2' },
    },
  )
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (errors = (errors + chunk).slice(-8192)))
  child.stdin!.on('error', () => undefined)
  const ended = new Promise<QemuImgError | null>((resolve) => {
    child.once('error', (error) => resolve(new QemuImgError(null, null, error.message)))
    child.once('close', (code, signal) => resolve(code === 0 ? null : new QemuImgError(code, signal, errors)))
  })
  const waiting = new Map<number, (answer: Answer) => void>()
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const answer = JSON.parse(line) as Answer
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
  })
  let number = 0
  const qmp: QmpCommands = {
    async execute<Reply>(command: string, args: object = {}) {
      const id = ++number
      const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve))
      child.stdin!.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`)
      const answer = await Promise.race([answered, ended])
      waiting.delete(id)
      if (answer === null || answer instanceof QemuImgError) throw answer ?? new QemuImgError(0, null, errors)
      if (answer.error) throw new QemuImgError(1, null, answer.error.desc)
      return answer.return as Reply
    },
  }
  try {
    await qmp.execute('qmp_capabilities')
    const result = await work(qmp)
    await qmp.execute('quit')
    const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS)
    const failure = await ended
    clearTimeout(timer)
    if (failure) throw failure
    return result
  } finally {
    child.kill('SIGKILL')
  }
}

interface Answer {
  id?: number
  return?: unknown
  error?: { desc: string }
}
