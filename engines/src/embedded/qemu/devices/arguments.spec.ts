import { describe, expect, test } from 'vitest'
import { machineArguments, type EmulatorChoice } from './arguments'
import { userNetwork } from './network'
import { placed } from './places'
import { diskOf, nicOf, specOf } from '../testbed'

const choice: EmulatorChoice = {
  ...{ accelerator: 'tcg', machineType: 'pc-i440fx-7.2', sandbox: true, hyperV: false, uefi: null },
}
const of = (spec: Parameters<typeof specOf>, change: Partial<EmulatorChoice> = {}) => {
  const made = specOf(...spec)
  return machineArguments(made, placed(made, {}), { ...choice, ...change })
}
/** The values of an option that may be given several times. */
const values = (args: string[], option: string) => args.filter((_, index) => args[index - 1] === option)

describe('the command line of a machine', () => {
  test('takes names and paths as they are, whatever is in them', () => {
    const path = '/srv/disks/a,b "c" $(d).qcow2'
    const args = of([[diskOf(path)], { name: 'x,-monitor tcp::1' }])
    const [node] = values(args, '-blockdev').map((text) => JSON.parse(text) as { file: { filename: string } })
    expect(node?.file.filename).toBe(path)
    expect(args.join(' ')).not.toContain('monitor')
  })

  test('opens disks in their own format and without a backing file', () => {
    const [disk, cd] = values(of([[diskOf('/a'), diskOf('/b', { format: 'raw', cdrom: true })]]), '-blockdev').map(
      (text) => JSON.parse(text) as object,
    )
    expect(disk).toMatchObject({ driver: 'qcow2', backing: null, 'read-only': false, discard: 'unmap' })
    expect(cd).toMatchObject({ driver: 'raw', 'read-only': true })
  })

  test('has no server on the network and a sandbox', () => {
    const text = of([[], {}]).join(' ')
    expect(text).not.toMatch(/tcp|telnet|:\d/)
    expect(text).toContain('spawn=deny')
    expect(of([[], {}], { sandbox: false }).join(' ')).not.toContain('sandbox')
  })

  test('gives Windows local time and the features of Hyper-V that the host has, and other systems neither', () => {
    const told = (isWindows: boolean, change: Partial<EmulatorChoice>) => {
      const args = of([[], { isWindows }], change)
      return [values(args, '-rtc'), values(args, '-cpu')].flat()
    }
    const local = 'base=localtime,driftfix=slew'
    const kvm = { accelerator: 'kvm', hyperV: true } as const
    expect(told(false, kvm)).toEqual(['base=utc', 'host'])
    expect(told(true, {})).toEqual([local, 'max,hv_relaxed,hv_spinlocks=0x1fff'])
    expect(told(true, { accelerator: 'kvm' })).toEqual([local, 'host,hv_relaxed,hv_spinlocks=0x1fff'])
    // emulation has none of the others, also where it takes the place of KVM
    expect(told(true, { hyperV: true })).toEqual([local, 'max,hv_relaxed,hv_spinlocks=0x1fff'])
    const [clock, processor] = told(true, kvm)
    expect(clock).toBe(local)
    for (const feature of ['hv_relaxed', 'hv_vapic', 'hv_time', 'hv_vpindex', 'hv_synic', 'hv_stimer'])
      expect(processor?.split(',')).toContain(feature)
  })

  test('boots disks in the order of their numbers, though two have the same', () => {
    const disks = [
      diskOf('/a', { bootIndex: 5 }),
      diskOf('/b', { bootIndex: 1 }),
      diskOf('/c', { bootIndex: 5 }),
      diskOf('/d'),
    ]
    const devices = values(of([disks]), '-device').filter((text) => text.startsWith('{'))
    expect(devices.map((text) => (JSON.parse(text) as { bootindex?: number }).bootindex)).toEqual([1, 0, 2, undefined])
  })

  test('has what it starts with, and room for more only where it was asked for', () => {
    const sizes = (args: string[]) => [...values(args, '-smp'), ...values(args, '-m')]
    const plain = of([[], { vcpus: 2, ramMiB: 256 }])
    expect(sizes(plain)).toEqual(['cpus=2,maxcpus=2,sockets=1,cores=2,threads=1', 'size=256M'])
    expect(plain.join(' ')).not.toContain('virtio-mem')
    const roomy = of([[], { vcpus: 2, ramMiB: 256, room: { vcpus: 8, ramMiB: 600 } }])
    // three blocks of 128 MiB hold the 344 MiB that may come
    expect(sizes(roomy)).toEqual(['cpus=2,maxcpus=8,sockets=1,cores=8,threads=1', 'size=256M,maxmem=640M'])
    expect(roomy.join(' ')).toContain('virtio-mem-pci')
  })

  test('brings back the processors and memory that came before its memory was saved', () => {
    const spec = specOf([], { vcpus: 1, ramMiB: 256, room: { vcpus: 4, ramMiB: 512 } })
    const restored = { waitForMemory: true, grown: { vcpus: 2, ramMiB: 128 } }
    const devices = values(machineArguments(spec, {}, choice, restored), '-device').join(' ')
    expect(devices).toMatch(/"core-id":1.*"core-id":2/)
    expect(devices).not.toContain('"core-id":3')
    expect(devices).toContain('requested-size=128M')
  })

  test('gives each disk and card a place of its own', () => {
    const disks = (['virtio', 'virtio', 'scsi', 'ide', 'ide', 'sata', 'usb'] as const).map((bus) =>
      diskOf('/a', { bus }),
    )
    const devices = values(of([disks, { nics: [nicOf(), nicOf()] }]), '-device').filter((text) => text.startsWith('{'))
    const places = devices.map((text) => {
      const { bus, addr, unit, port, 'scsi-id': scsi } = JSON.parse(text) as Record<string, unknown>
      return JSON.stringify([bus, addr, unit, port, scsi])
    })
    expect(new Set(places).size).toBe(9)
  })

  test('keeps places when devices come and go', () => {
    const [a, b, c] = [diskOf('/a'), diskOf('/b'), diskOf('/c')]
    const before = placed({ disks: [a, b], nics: [] }, {})
    const after = placed({ disks: [b, c], nics: [] }, before)
    expect(after[`disk-${b.id}`]).toBe(before[`disk-${b.id}`])
    expect(after[`disk-${c.id}`]).toBe(before[`disk-${a.id}`])
  })

  test('refuses more disks than there is room for', () => {
    const disks = Array.from({ length: 25 }, () => diskOf('/a'))
    expect(() => of([disks])).toThrow('no room')
  })

  test('asks for UEFI firmware where there is none', () => {
    expect(() => of([[], { firmware: 'uefi' }])).toThrow('UEFI')
  })
})

describe('the network of a card', () => {
  test('gives the guest its address and keeps clear of it', () => {
    expect(userNetwork(nicOf({ address: '10.5.0.1', cidr: '10.5.0.0/24' }), true)).toMatchObject({
      net: '10.5.0.0/24',
      dhcpstart: '10.5.0.1',
      host: '10.5.0.2',
      dns: '10.5.0.3',
    })
  })

  test('of a port without a way out is closed', () => {
    expect(userNetwork(nicOf({ connected: false }), true).restrict).toBe(true)
    expect(userNetwork(nicOf(), true).restrict).toBe(false)
  })

  test('chooses an address where none is given', () => {
    expect(userNetwork(nicOf({ address: null, cidr: '192.168.1.77/16' }), true)).toMatchObject({
      net: '192.168.0.0/16',
      dhcpstart: '192.168.0.10',
    })
  })

  test('that is too small for a gateway is widened', () => {
    expect(userNetwork(nicOf({ address: '10.0.0.6', cidr: '10.0.0.4/30' }), true)).toMatchObject({
      net: '10.0.0.0/29',
      dhcpstart: '10.0.0.6',
    })
  })

  test('refuses what is no address of it', () => {
    for (const change of [
      { address: '10.9.9.9' },
      { address: '10.0.2.255' },
      { address: 'x,restrict=off' },
      { cidr: '10.0.2.0/33' },
      { cidr: 'any' },
    ]) {
      expect(() => userNetwork(nicOf(change), true)).toThrow()
    }
    expect(userNetwork(nicOf({ hostname: 'web,restrict=off' }), true).hostname).toBe('web-restrict-off')
  })
})
