import { lastWords } from '../../host/reasons'
import { MachineFault } from '../hypervisor'
import { QmpError } from './qmp'
import type { Exit } from '../../host/processes'

/*
 * QEMU's words for people. Its messages repeat options and paths of the host, which must not be shown.
 */

const known: [RegExp, MachineFault['code'], string][] = [
  [
    /Cannot allocate memory|cannot set up guest memory/i,
    'no_memory',
    'The host has not enough free memory for the machine',
  ],
  [/No space left on device/i, 'disk_full', 'The storage for disks is full'],
  [
    /Failed to get .*lock|Is another process using the image/i,
    'failed',
    'A disk of the machine is in use by another machine or task',
  ],
  [/could not open \/dev\/net\/tun/i, 'failed', 'The host does not let the machine have a network card (/dev/net/tun)'],
  [/No such file or directory/i, 'failed', 'A disk of the machine is missing'],
  [/Permission denied/i, 'failed', 'A disk of the machine may not be opened by the server'],
  [/Image is not in qcow2 format|Image is corrupt/i, 'failed', 'A disk of the machine is damaged'],
  [
    /does not support hotplug|hot-?(un)?plug.*not supported|is not hot-?pluggable/i,
    'failed',
    'Disks of this kind can only be attached or detached while the machine is off',
  ],
]

/** What QEMU said, as a fault of ours. */
export function faultFrom(text: string): MachineFault {
  for (const [pattern, code, message] of known) if (pattern.test(text)) return new MachineFault(code, message)
  return new MachineFault('failed', plain(text) || 'The machine could not be started')
}

/** Any error of a conversation with QEMU, as a fault of ours. */
export function asFault(error: unknown): MachineFault {
  if (error instanceof MachineFault) return error
  if (error instanceof QmpError) {
    if (error.code === 'closed') return new MachineFault('not_running', 'The machine is not running')
    if (error.code === 'timeout') return new MachineFault('failed', 'The machine does not answer')
    return faultFrom(error.message)
  }
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return new MachineFault('disk_full', 'The storage for disks is full')
  if (code === 'ENOENT') return new MachineFault('failed', 'A file of the machine is missing')
  return new MachineFault('failed', plain(message ?? '') || 'The machine failed')
}

/** Without QEMU's name, the option that it complains of, and paths. */
export function plain(text: string): string {
  const line = text.replace(/^\S*qemu\S*: /, '').replace(/^-\w+ (\{.*\}|\S+): /, '')
  return line
    .replaceAll(/'?(?<![\w.])\/[^\s:'\]]+'?/g, 'a file')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
}

/** Why a process went away, as far as one can know. */
export async function exitReason(exit: Exit | null, errorsFile: string): Promise<string> {
  if (exit?.signal) return `The process of the machine was ended by ${exit.signal}`
  const words = await lastWords(errorsFile)
  const signal = words && /terminating on signal (\d+)/.exec(words)?.[1]
  if (signal) return `The process of the machine was ended by signal ${signal}`
  if (words) return plain(words)
  if (exit?.code) return `The process of the machine ended with code ${exit.code}`
  return 'The process of the machine went away'
}

/** Why a guest was stopped, for people, by what QEMU tells of the write or read that failed (`BLOCK_IO_ERROR`). */
export const diskTrouble = ({ nospace }: Record<string, unknown>): string =>
  nospace ? 'The storage for disks is full. Free some space, then unpause the virtual machine' : 'A disk failed'
