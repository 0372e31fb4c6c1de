import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { fileNames, machineArguments } from '@mainstay/engines/embedded/qemu/devices/arguments'
import { connectQmp, type Qmp } from '@mainstay/engines/embedded/qemu/qmp'
import type { MachineRecord } from '@mainstay/engines/embedded/qemu/machines/record'
import { signIn, type ApiClient } from '../server/src/testing/api-client'
import { settled } from '../server/src/testing/crash/crash-checks'
import { ADMIN_PASSWORD, startProgram } from '../server/src/testing/server-program'
import { socketMirror, type SocketMirror } from '../server/src/testing/socket-mirror'
import { guestImage } from '../tools/lib/paths.mjs'
import { quantile, type Row } from './protocol'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'

const ROUNDS = quick ? 1 : 3
const GUEST_TAKES_MS = 180_000
const READY = /guest: ready/

interface Times {
  running: number
  prompt: number
}

/**
 * Measures the time from the create request until the vCPUs run and until the guest shows a prompt. The reference is
 * plain QEMU, started with the same arguments on a copy of the disk; the difference is our overhead.
 */
export async function run(): Promise<Row[]> {
  return withFolders(async (newFolder) => {
    const folder = await newFolder()
    const program = await startProgram({ folder, hypervisor: 'qemu' })
    try {
      const who = { username: 'admin', password: ADMIN_PASSWORD }
      const api = await signIn(program.url, { ...who, project: 'demo' })
      const mirror = socketMirror((await signIn(program.url, who)).token, null)
      await mirror.connect(program.url)
      const image = await upload(api)
      const [ours, bare]: [Times[], Times[]] = [[], []]
      for (let round = 0; round < ROUNDS; round++) {
        const made = await createdInstance(api, mirror, folder, image, `bench-${round}`)
        ours.push(made.times)
        const record = JSON.parse(readFileSync(path.join(made.place, fileNames.record), 'utf8')) as MachineRecord
        await api.call(instances.delete, { params: { id: made.id }, query: {} })
        await settled(api)
        bare.push(await bareMachine(await newFolder(), record, path.join(folder, 'engine', 'images', image)))
      }
      mirror.close()
      const row = (name: string, of: keyof Times): Row => ({
        name,
        unit: 'ms',
        value: quantile(
          ours.map((it) => it[of]),
          0.5,
        ),
        against: {
          name: 'QEMU by itself',
          value: quantile(
            bare.map((it) => it[of]),
            0.5,
          ),
        },
      })
      return [
        row('instance: from the request until its processors run', 'running'),
        row('instance: from the request until the guest is ready', 'prompt'),
      ]
    } finally {
      await program.stop()
    }
  })
}

async function upload(api: ApiClient): Promise<string> {
  const file = process.env['MAINSTAY_GUEST_IMAGE'] ?? guestImage
  const { id } = await api.call(images.create, {
    bytes: new Uint8Array(readFileSync(file)),
    headers: { 'x-hci-image-name': btoa('guest'), 'x-hci-image-disk-format': 'qcow2' },
  })
  await settled(api)
  return id
}

async function createdInstance(api: ApiClient, mirror: SocketMirror, folder: string, image: string, name: string) {
  const started = performance.now()
  const { id } = await api.call(instances.create, {
    body: {
      name,
      flavor: 's1.nano',
      volumes: [{ source: 'image', id: image, size: GiB, boot_index: 0 }],
      networks: [],
    },
  })
  const place = path.join(folder, 'engine', 'machines', id)
  await mirror.heard((change) => change.id === id && change.entity?.['status'] === 'ACTIVE', GUEST_TAKES_MS)
  const running = performance.now() - started
  await fileSays(path.join(place, fileNames.serialLog), READY)
  return { id, place, times: { running, prompt: performance.now() - started } }
}

/**
 * Starts the same virtual machine with plain QEMU. The disk is copied before the timer starts, so copying counts as our
 * overhead.
 */
async function bareMachine(folder: string, record: MachineRecord, image: string): Promise<Times> {
  const { spec, places, machineType, accelerator } = record
  const disks = await Promise.all(
    spec.disks.map(async (disk) => {
      const copy = path.join(folder, `${disk.id}.qcow2`)
      await copyFile(image, copy)
      return { ...disk, path: copy }
    }),
  )
  const machine = path.join(folder, 'm')
  mkdirSync(machine)
  const args = machineArguments({ ...spec, disks, seed: null }, places, {
    accelerator,
    machineType,
    sandbox: true,
    hyperV: false,
    uefi: null,
  })
  const started = performance.now()
  const child = spawn('qemu-system-x86_64', args, { cwd: machine, stdio: 'ignore' })
  try {
    const qmp = await controlOf(path.join(machine, fileNames.qmp))
    await qmp.execute('cont')
    const running = performance.now() - started
    await fileSays(path.join(machine, fileNames.serialLog), READY)
    const prompt = performance.now() - started
    qmp.close()
    return { running, prompt }
  } finally {
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGKILL')
    await ended
    rmSync(machine, { recursive: true, force: true })
  }
}

async function controlOf(socket: string): Promise<Qmp> {
  const late = performance.now() + GUEST_TAKES_MS
  for (;;) {
    try {
      return await connectQmp(socket, 30_000)
    } catch (error) {
      if (performance.now() > late) throw error
      await pause(2)
    }
  }
}

async function fileSays(file: string, pattern: RegExp): Promise<void> {
  const late = performance.now() + GUEST_TAKES_MS
  for (;;) {
    try {
      if (pattern.test(readFileSync(file, 'utf8'))) return
    } catch {
      // the file does not exist yet
    }
    if (performance.now() > late) throw new Error(`${file} does not say ${pattern}`)
    await pause(5)
  }
}
