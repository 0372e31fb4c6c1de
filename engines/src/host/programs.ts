import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { reasonIn } from './reasons'

/** On Debian, the PATH of ordinary users does not include the sbin directories. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/bin', '/bin']

/** Returns the path of an executable program; null if it is not found. */
export function findProgram(name: string): string | null {
  for (const folder of folders.filter(Boolean)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // try the next folder
    }
  }
  return null
}

const withinMs = 20_000

/**
 * Runs a command and returns its standard output. Throws an error with the reason from standard error if the command
 * fails.
 */
export async function runProgram(command: string[], input = ''): Promise<string> {
  const { output, fault } = await ended(command, input)
  if (fault) throw fault
  return output
}

/**
 * Printed by `ip`, `nft` and `bridge` if tables changed during the read. The output may then be incomplete, regardless
 * of the exit code. If a dump was terminated for another reason, the preceding line states the reason.
 */
const interrupted =
  /Dump was interrupted|Interrupted system call|(?<!^(?:Error|RTNETLINK answers): .*\n)^Dump terminated$/m
const mostReads = 10

/**
 * Runs a command that reads kernel tables, and retries if changes interrupt the dump. The command must be safe to
 * repeat.
 */
export async function readKernel(command: string[], input = ''): Promise<string> {
  for (let reads = 1; ; reads++) {
    const { output, errors, fault } = await ended(command, input)
    if (interrupted.test(errors) && reads < mostReads) await new Promise((done) => setTimeout(done, 10 * reads))
    else if (fault || interrupted.test(errors)) throw fault ?? new Error(reasonIn(errors) || errors.trim())
    else return output
  }
}

interface Ended {
  output: string
  errors: string
  fault: Error | null
}

function ended([program = '', ...args]: string[], input: string): Promise<Ended> {
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
    // a command that exits early does not read its input
    child.stdin.on('error', () => undefined).end(input)
    child.once('error', reject)
    child.once('close', (code) => {
      const why = () => reasonIn(errors) || errors.trim() || `${program} ended with ${code ?? 'a signal'}`
      resolve({ output, errors, fault: code === 0 ? null : new Error(why()) })
    })
  })
}
