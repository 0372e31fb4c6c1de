import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { MachineEvent, MachineSpec } from '../hypervisor'
import { noDelays } from '../testing/no-delays'
import { openSimulated, type SimulatedHypervisor } from './simulated'

let folder: string
let hypervisor: SimulatedHypervisor
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mainstay-simulated-'))
  hypervisor = openSimulated({ folder, delays: noDelays })
})
afterEach(async () => {
  await hypervisor.close()
  rmSync(folder, { recursive: true, force: true })
})

const spec = (id: string, name = id): MachineSpec => ({
  id,
  name,
  vcpus: 2,
  room: null,
  ramMiB: 512,
  firmware: 'bios',
  disks: [],
  nics: [],
  seed: null,
})

describe('the screen', () => {
  /** Reads so many bytes, then more when asked again. */
  function reader(socket: Socket) {
    let kept = Buffer.alloc(0)
    let wake = () => {}
    socket.on('data', (data: Buffer) => {
      kept = Buffer.concat([kept, data])
      wake()
    })
    return async (length: number): Promise<Buffer> => {
      while (kept.length < length) await new Promise<void>((resolve) => (wake = resolve))
      const taken = kept.subarray(0, length)
      kept = kept.subarray(length)
      return taken
    }
  }

  async function lookAt(id: string) {
    const socket = connect(await hypervisor.machines.vncSocket(id))
    const read = reader(socket)
    expect((await read(12)).toString()).toBe('RFB 003.008\n')
    socket.write('RFB 003.008\n')
    expect([...(await read(2))]).toEqual([1, 1])
    socket.write(Buffer.from([1]))
    expect((await read(4)).readUInt32BE(0)).toBe(0)
    socket.write(Buffer.from([1]))
    const init = await read(24)
    const [width, height] = [init.readUInt16BE(0), init.readUInt16BE(2)]
    await read(init.readUInt32BE(20))
    const ask = (incremental: boolean) => {
      const request = Buffer.alloc(10)
      request[0] = 3
      request[1] = incremental ? 1 : 0
      request.writeUInt16BE(width, 6)
      request.writeUInt16BE(height, 8)
      socket.write(request)
    }
    const picture = async () => {
      const head = await read(16)
      const area = {
        x: head.readUInt16BE(4),
        y: head.readUInt16BE(6),
        width: head.readUInt16BE(8),
        height: head.readUInt16BE(10),
      }
      return { area, pixels: await read(area.width * area.height * 4) }
    }
    const press = (keysym: number) => {
      const key = Buffer.alloc(8)
      key[0] = 4
      key[1] = 1
      key.writeUInt32BE(keysym, 4)
      socket.write(key)
    }
    return { socket, width, height, ask, picture, press }
  }

  test('shows a picture that moves, and a typed key changes it', async () => {
    await hypervisor.machines.start(spec('one'))
    const { socket, width, height, ask, picture, press } = await lookAt('one')
    ask(false)
    const first = await picture()
    expect(first.area).toEqual({ x: 0, y: 0, width, height })
    expect(new Set(first.pixels).size).toBeGreaterThan(5)
    ask(true)
    const moved = await picture()
    expect(moved.area.height).toBeLessThan(40)
    press('x'.charCodeAt(0))
    ask(true)
    const typed = await picture()
    expect(typed.area.height).toBeGreaterThan(300)
    ask(false)
    const last = await picture()
    expect(last.pixels.equals(first.pixels)).toBe(false)
    socket.destroy()
  })

  test('is cut off when the machine ends, and refuses who speaks something else', async () => {
    await hypervisor.machines.start(spec('one'))
    const { socket } = await lookAt('one')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await hypervisor.machines.cut('one')
    await closed
    await expect(hypervisor.machines.vncSocket('one')).rejects.toMatchObject({ code: 'not_running' })
    await hypervisor.machines.start(spec('one'))
    const stranger = connect(await hypervisor.machines.vncSocket('one'))
    const refused = new Promise((resolve) => stranger.once('close', resolve))
    stranger.resume().on('error', () => undefined)
    stranger.write('GET / HTTP/1.1\r\n\r\n')
    await refused
  })
})

test('machines outlive the server that started them, also one that was killed while it wrote', async () => {
  await hypervisor.machines.start(spec('runs'))
  await hypervisor.machines.start(spec('halts'))
  await hypervisor.machines.pause('halts')
  await hypervisor.machines.start(spec('gone'))
  await hypervisor.machines.forget('gone')
  await hypervisor.close()
  appendFileSync(join(folder, 'machines.jsonl'), '{"id":"runs","sta')
  hypervisor = openSimulated({ folder, delays: noDelays })
  expect(await hypervisor.machines.known()).toEqual([
    { id: 'runs', state: 'running' },
    { id: 'halts', state: 'paused' },
  ])
})

test('every change is said once, with its reason where nobody asked for it', async () => {
  const said: MachineEvent[] = []
  hypervisor.onEvent((event) => said.push(event))
  await hypervisor.machines.start(spec('one'))
  await hypervisor.machines.start(spec('one'))
  await hypervisor.machines.pause('one')
  await hypervisor.machines.unpause('one')
  hypervisor.happen('one', 'crashed', 'killed by signal 9')
  expect(said.map(({ state, reason }) => [state, reason])).toEqual([
    ['running', null],
    ['paused', null],
    ['running', null],
    ['crashed', 'killed by signal 9'],
  ])
})

test('faults happen to machines that are named after them, and to nobody else', async () => {
  await expect(hypervisor.machines.start(spec('a', 'fault-start-1'))).rejects.toMatchObject({ code: 'failed' })
  await expect(hypervisor.machines.start(spec('b', 'fault-disk-1'))).rejects.toMatchObject({ code: 'disk_full' })
  await hypervisor.machines.start(spec('c', 'fault-acpi-1'))
  await hypervisor.machines.pressPower('c')
  await hypervisor.machines.start(spec('d', 'obedient'))
  await hypervisor.machines.pressPower('d')
  await expect.poll(() => hypervisor.machines.state('d')).toBe('off')
  expect(await hypervisor.machines.state('c')).toBe('running')
})

test('a hundred thousand machines are known at once and cost little', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = process.memoryUsage().heapUsed
  hypervisor.simulate(
    Array.from({ length: 100_000 }, (_, at) => ({
      id: `m${at}`,
      name: `m${at}`,
      state: 'running',
      vcpus: 1,
      ramMiB: 512,
    })),
  )
  expect(await hypervisor.machines.known()).toHaveLength(100_000)
  expect(await hypervisor.machines.usage('m99999')).toMatchObject({ cpuSeconds: expect.any(Number) })
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(120 * 1024 * 1024)
})
