import { spawn } from 'node:child_process'
import { copyFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  READ_BLOCK,
  READ_BYTES,
  ReaderFault,
  type FileReader,
  type FileReaders,
  type FoundFileSystem,
  type ReaderOrder,
} from '../../file-reader'
import { buildGuest } from '../../guest-build'
import { engineFolder, type Confinement } from '../confinement/confinement'
import { restrictToServer } from '../confinement/grants'
import { processorModel, sandboxOption, type EmulatorChoice } from '../devices/arguments'
import type { CreateDisk } from '../disks/image-tool'
import { fileSystemsIn, filesIn } from './answers'
import { openLink } from './link'

/*
 * A reader is a QEMU process that ends with the server. Its guest sees the disk through an overlay, because the journal of a
 * file system is replayed before it is read. The overlay is discarded, and the files of the disk are never written.
 */

const RAM_MIB = 192
/** Maximum size of the overlay in blocks of 512 bytes; writes beyond it fail in the guest. */
const MOST_WRITTEN_BLOCKS = (512 * 1024 * 1024) / 512
/** Processor time of the whole process, in seconds. */
const MOST_CPU_SECONDS = 2 * 3600
const files = { overlay: 'overlay.qcow2', kernel: 'kernel', image: 'image' }

/** `$0` is the emulator. A signal would end it when a file reaches its limit; without it, the write fails. */
const limited = `trap '' XFSZ; ulimit -f ${MOST_WRITTEN_BLOCKS}; ulimit -t ${MOST_CPU_SECONDS}; exec setpriv --pdeathsig KILL -- "$0" "$@"`

interface Given {
  emulator: string
  choice: EmulatorChoice
  confinement: Confinement
  create: CreateDisk
}

export const openReaders = (given: Given): FileReaders => ({
  async open(order) {
    const { guest, limits, signal } = order
    if (!guest) throw new Error('The reader of file systems is not installed')
    await buildGuest(guest, signal)
    const { link, ended } = await start(given, order, guest.image)
    const close = async () => {
      link.breakOff()
      await ended
    }
    const stop = () => void close()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const found = fileSystemsIn(await link.ask('file-systems', limits.startMs))
      return { ...readerOf(link, found, limits.requestMs), ended, close }
    } catch (error) {
      await close()
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  },
})

type Link = ReturnType<typeof openLink>

function readerOf(
  link: Link,
  found: readonly (FoundFileSystem & { number: number })[],
  requestMs: number,
): Omit<FileReader, 'ended' | 'close'> {
  const ask = (command: string, fileSystem: string, path: Buffer, rest = '') => {
    const one = found.find(({ id, state }) => id === fileSystem && state === 'readable')
    if (!one) return Promise.reject(new ReaderFault('missing'))
    return link.ask(`${command} ${one.number} ${path.toString('base64')}${rest}`, requestMs)
  }
  return {
    fileSystems: found,
    stat: async (fileSystem, path) => filesIn(await ask('stat', fileSystem, path)),
    list: async (fileSystem, path) => filesIn(await ask('list', fileSystem, path)),
    tree: async (fileSystem, path) => filesIn(await ask('tree', fileSystem, path)),
    read: (fileSystem, path, offset) =>
      ask('read', fileSystem, path, ` ${Math.floor(offset / READ_BLOCK)} ${READ_BYTES / READ_BLOCK}`),
  }
}

async function start(given: Given, { folder, chain, sizeBytes, signal }: ReaderOrder, image: string) {
  const { emulator, choice, confinement, create } = given
  const at = (name: string) => join(folder, name)
  await rm(at(files.overlay), { force: true })
  await create(at(files.overlay), sizeBytes)
  await copyFile(image, at(files.image))
  await copyFile(`${image}.kernel`, at(files.kernel))
  await restrictToServer(confinement, folder)
  await confinement.letThrough(dirname(folder))
  await confinement.letThrough(engineFolder(folder))
  for (const name of chain) await confinement.lend(at(name))
  for (const name of Object.values(files)) await confinement.own(at(name))
  signal.throwIfAborted()
  const words = ['-c', limited, emulator, ...readerArguments(choice, chain)]
  const command = confinement.command('sh', words, folder)
  const child = spawn(command.file, command.args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const end = () => void child.kill('SIGKILL')
  return { link: openLink({ input: child.stdin, output: child.stdout, end }), ended }
}

/** Command line of a reader. Its working directory is the folder of the reader. */
export function readerArguments(choice: EmulatorChoice, chain: readonly string[]): string[] {
  const node = (name: string, filename: string, backing: string | null, isReadOnly: boolean) => [
    '-blockdev',
    JSON.stringify({
      ...{ driver: 'qcow2', 'node-name': name, 'read-only': isReadOnly, backing },
      file: { driver: 'file', filename, 'read-only': isReadOnly },
    }),
  ]
  const backingOf = (index: number) => (index === 0 ? null : `chain${index - 1}`)
  return [
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    ...(choice.sandbox ? sandboxOption : []),
    ...['-machine', `${choice.machineType},usb=off,vmport=off,dump-guest-core=off`],
    ...['-accel', choice.accelerator === 'kvm' ? 'kvm' : 'tcg,thread=multi,tb-size=64'],
    ...['-cpu', processorModel(choice.accelerator), '-smp', '1', '-m', String(RAM_MIB)],
    ...['-kernel', files.kernel, '-initrd', files.image],
    ...['-append', 'quiet panic=-1 mitigations=off no_timer_check nokaslr preempt=full'],
    ...chain.flatMap((filename, index) => node(`chain${index}`, filename, backingOf(index), true)),
    ...node('disk', files.overlay, backingOf(chain.length), false),
    ...['-device', 'virtio-blk-pci,drive=disk,werror=report,rerror=report'],
    ...['-chardev', 'stdio,id=port,signal=off'],
    ...['-device', 'virtio-serial-pci', '-device', 'virtserialport,chardev=port,name=files'],
  ]
}
