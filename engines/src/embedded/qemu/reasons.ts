import { lastWords } from '../../host/reasons'
import { MachineFault } from '../hypervisor'
import { QmpError } from './qmp'
import type { Exit } from '../../host/processes'

/*
 * Translates QEMU errors into messages for users. The original messages contain options and host paths, which users
 * must not see.
 */

const known: [RegExp, MachineFault['code'], string][] = [
  [
    /Cannot allocate memory|cannot set up guest memory/i,
    'no_memory',
    'The host does not have enough free memory for the virtual machine',
  ],
  [/No space left on device/i, 'disk_full', 'The disk storage is full'],
  [
    /Failed to get .*lock|Is another process using the image/i,
    'failed',
    'A disk of the virtual machine is in use by another virtual machine or task',
  ],
  [
    /could not open \/dev\/net\/tun/i,
    'failed',
    'The host does not allow a network interface for the virtual machine (/dev/net/tun)',
  ],
  [/No such file or directory/i, 'failed', 'A disk of the virtual machine is missing'],
  [/Permission denied/i, 'failed', 'The server is not allowed to open a disk of the virtual machine'],
  [/Image is not in qcow2 format|Image is corrupt/i, 'failed', 'A disk of the virtual machine is damaged'],
  [
    /does not support hotplug|hot-?(un)?plug.*not supported|is not hot-?pluggable/i,
    'failed',
    'Disks of this type can be attached or detached only while the virtual machine is shut down',
  ],
]

/** Converts a QEMU error message to a fault. */
export function faultFrom(text: string): MachineFault {
  for (const [pattern, code, message] of known) if (pattern.test(text)) return new MachineFault(code, message)
  return new MachineFault('failed', plain(text) || 'The virtual machine could not be started')
}

/** Converts any error of a QEMU operation to a fault. */
export function asFault(error: unknown): MachineFault {
  if (error instanceof MachineFault) return error
  if (error instanceof QmpError) {
    if (error.code === 'closed') return new MachineFault('not_running', 'The virtual machine is not running')
    if (error.code === 'timeout') return new MachineFault('failed', 'The virtual machine does not respond')
    return faultFrom(error.message)
  }
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return new MachineFault('disk_full', 'The disk storage is full')
  if (code === 'ENOENT') return new MachineFault('failed', 'A file of the virtual machine is missing')
  return new MachineFault('failed', plain(message ?? '') || 'The virtual machine failed')
}

/** Removes the program name, the option and paths from a QEMU error message. */
export function plain(text: string): string {
  const line = text.replace(/^\S*qemu\S*: /, '').replace(/^-\w+ (\{.*\}|\S+): /, '')
  return line
    .replaceAll(/'?(?<![\w.])\/[^\s:'\]]+'?/g, 'a file')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
}

/** Returns the most specific known reason why the process exited. */
export async function exitReason(exit: Exit | null, errorsFile: string): Promise<string> {
  if (exit?.signal) return `The process of the virtual machine was terminated by ${exit.signal}`
  const words = await lastWords(errorsFile)
  const signal = words && /terminating on signal (\d+)/.exec(words)?.[1]
  if (signal) return `The process of the virtual machine was terminated by signal ${signal}`
  if (words) return plain(words)
  if (exit?.code) return `The process of the virtual machine ended with code ${exit.code}`
  return 'The process of the virtual machine ended'
}

/** Returns why the guest was paused, according to the data of a `BLOCK_IO_ERROR` event. */
export const diskTrouble = ({ nospace }: Record<string, unknown>): string =>
  nospace ? 'The disk storage is full. Free some space, then unpause the virtual machine' : 'A disk failed'

export const memoryOfOtherProcessor = () =>
  new MachineFault(
    'failed',
    'The memory was saved on a different processor type. Shut down the virtual machine and start it again',
  )

export const memoryNotRestored = () =>
  new MachineFault('failed', 'The saved memory could not be restored. Shut down the virtual machine and start it again')
