import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian keeps system programs out of an ordinary user's path. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/bin', '/bin']

/** The path of a program that may be run, or null. */
export function findProgram(name: string): string | null {
  for (const folder of folders.filter(Boolean)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // In another folder, or nowhere.
    }
  }
  return null
}

const withinMs = 20_000

/** Runs a command to its end and answers what it wrote; throws its last line where it fails. */
export function runProgram([program = '', ...args]: string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(findProgram(program) ?? program, args, {
      env: { ...process.env, PATH: folders.join(delimiter), LC_ALL: 'C' },
      timeout: withinMs,
      killSignal: 'SIGKILL',
    })
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    // a command that ends early does not read it
    child.stdin.on('error', () => undefined).end(input)
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(output)
      else reject(new Error(errors.trim().split('\n').at(-1) || `${program} ended with ${code ?? 'a signal'}`))
    })
  })
}
