import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { openPlace } from '../engines/src/backup-places'
import { digestOf, storeFile } from '../engines/src/embedded/storage/backups/point-files'
import { cleanUp, diskOf, open, specOf } from '../engines/src/embedded/qemu/testbed'
import type { Hypervisor } from '../engines/src/embedded/hypervisor'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'

const MiB = 1024 ** 2
const GiB = 1024 ** 3
const VOLUME = 8 * GiB
const DATA = quick ? 256 : 1024
/** Number of 1 MiB ranges that change between two recovery points. */
const CHANGED = 32
const ROUNDS = quick ? 1 : 3

/**
 * Compares the time for a full recovery point in a folder with `qemu-img convert` of the same disk, and measures how
 * much data an incremental recovery point reads from a virtual machine.
 */
export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const folder = await newFolder()
    const target = await newFolder()
    const { hypervisor } = await open(folder)
    try {
      const disk = path.join(folder, 'disk.qcow2')
      await hypervisor.disks.createBlank(disk, VOLUME)
      io(disk, [`write -P 1 0 ${DATA}M`])
      return [await full(hypervisor, { disk, target, folder }), await increment(hypervisor, { disk, folder })]
    } finally {
      await cleanUp(hypervisor, folder)
    }
  })
}

const io = (disk: string, commands: readonly string[]) =>
  execFileSync('qemu-io', ['-f', 'qcow2', ...commands.flatMap((command) => ['-c', command]), disk], { stdio: 'ignore' })

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function full(
  { disks }: Hypervisor,
  { disk, target, folder }: { disk: string; target: string; folder: string },
): Promise<Row> {
  const place = await openPlace({ place: { kind: 'folder', path: target }, marker: null, secret: null })
  const staged = path.join(folder, 'staged.qcow2')
  const signal = new AbortController().signal
  const [ours, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(
      await timed(async () => {
        await disks.capture([{ path: disk, target: staged, mark: `full-${round}`, since: null }])
        await disks.checkCaptured(staged)
        const captured = await digestOf(staged, signal)
        await storeFile({ id: 'bench', place, key: null }, { file: staged, name: 'point.qcow2', captured, signal })
      }),
    )
    const copy = path.join(target, 'copy.qcow2')
    bare.push(
      await timed(async () => {
        execFileSync('qemu-img', ['convert', '-f', 'qcow2', '-O', 'qcow2', disk, copy])
        execFileSync('sync', [copy])
      }),
    )
    rmSync(copy)
  }
  return {
    name: `recovery points, full, ${DATA} MiB of data, in a folder`,
    unit: 'ms',
    value: quantile(ours, 0.5),
    against: { name: 'qemu-img convert', value: quantile(bare, 0.5) },
  }
}

async function increment(
  { disks, machines }: Hypervisor,
  { disk, folder }: { disk: string; folder: string },
): Promise<Row> {
  const target = path.join(folder, 'increment.qcow2')
  await disks.capture([{ path: disk, target, mark: 'before', since: null }])
  io(
    disk,
    Array.from({ length: CHANGED }, (_, number) => `write -P 7 ${number * 16}M 1M`),
  )
  const spec = specOf([diskOf(disk)])
  await machines.start(spec)
  const pid = readFileSync(path.join(folder, 'machines', spec.id, 'qemu.pid'), 'utf8').trim()
  const read = () => Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))![1])
  const before = read()
  const { isIncremental } = await disks.capture([{ path: disk, target, mark: 'after', since: 'before' }])
  if (!isIncremental[0]) throw new Error('everything was captured')
  const value = (read() - before) / MiB
  await machines.cut(spec.id)
  return { name: `recovery points, read for an increment after ${CHANGED} MiB of changes`, unit: 'MB', value }
}
