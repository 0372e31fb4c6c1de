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
/** Returns the values of an option that can occur several times. */
const values = (args: string[], option: string) => args.filter((_, index) => args[index - 1] === option)

describe('the command line of a machine', () => {
  test('passes names and paths verbatim, whatever characters they contain', () => {
    const path = '/srv/disks/a,b "c" $(d).qcow2'
    const args = of([[diskOf(path)], { name: 'x,-monitor tcp::1' }])
    const [node] = values(args, '-blockdev').map((text) => JSON.parse(text) as { file: { filename: string } })
    expect(node?.file.filename).toBe(path)
    expect(args.join(' ')).not.toContain('monitor')
  })

  test('opens disks with a fixed format and without a backing file', () => {
    const [disk, cd] = values(of([[diskOf('/a'), diskOf('/b', { format: 'raw', cdrom: true })]]), '-blockdev').map(
      (text) => JSON.parse(text) as object,
    )
    expect(disk).toMatchObject({ driver: 'qcow2', backing: null, 'read-only': false, discard: 'unmap' })
    expect(cd).toMatchObject({ driver: 'raw', 'read-only': true })
  })

  test('opens no network socket, and enables the sandbox', () => {
    const text = of([[], {}]).join(' ')
    expect(text).not.toMatch(/tcp|telnet|:\d/)
    expect(text).toContain('spawn=deny')
    expect(of([[], {}], { sandbox: false }).join(' ')).not.toContain('sandbox')
  })

  test('gives local time and the supported Hyper-V enlightenments to Windows only', () => {
    const told = (isWindows: boolean, change: Partial<EmulatorChoice>) => {
      const args = of([[], { isWindows }], change)
      return [values(args, '-rtc'), values(args, '-cpu')].flat()
    }
    const local = 'base=localtime,driftfix=slew'
    const kvm = { accelerator: 'kvm', hyperV: true } as const
    expect(told(false, kvm)).toEqual(['base=utc', 'host'])
    expect(told(true, {})).toEqual([local, 'max,hv_relaxed,hv_spinlocks=0x1fff'])
    expect(told(true, { accelerator: 'kvm' })).toEqual([local, 'host,hv_relaxed,hv_spinlocks=0x1fff'])
    // emulation supports no other enlightenments, even if the host has KVM
    expect(told(true, { hyperV: true })).toEqual([local, 'max,hv_relaxed,hv_spinlocks=0x1fff'])
    const [clock, processor] = told(true, kvm)
    expect(clock).toBe(local)
    for (const feature of ['hv_relaxed', 'hv_vapic', 'hv_time', 'hv_vpindex', 'hv_synic', 'hv_stimer'])
      expect(processor?.split(',')).toContain(feature)
  })

  test('gives the guest a port for its agent, but not to memory that an earlier version saved', () => {
    const made = specOf([])
    const text = (hasAgentPort: boolean) =>
      machineArguments(made, placed(made, {}), choice, { waitForMemory: true, hasAgentPort }).join(' ')
    expect(text(true)).toContain('chardev=agent,name=org.qemu.guest_agent.0')
    expect(text(true)).toContain('path=sockets/agent.sock,server=on,wait=off')
    expect(text(false)).not.toMatch(/agent|multifunction|virtio-serial/)
  })

  test('numbers boot disks consecutively, even if two have the same index', () => {
    const disks = [
      diskOf('/a', { bootIndex: 5 }),
      diskOf('/b', { bootIndex: 1 }),
      diskOf('/c', { bootIndex: 5 }),
      diskOf('/d'),
    ]
    const devices = values(of([disks]), '-device').filter((text) => text.startsWith('{'))
    expect(devices.map((text) => (JSON.parse(text) as { bootindex?: number }).bootindex)).toEqual([1, 0, 2, undefined])
  })

  test('reserves headroom for vCPUs and memory only if requested', () => {
    const sizes = (args: string[]) => [...values(args, '-smp'), ...values(args, '-m')]
    const plain = of([[], { vcpus: 2, ramMiB: 256 }])
    expect(sizes(plain)).toEqual(['cpus=2,maxcpus=2,sockets=1,cores=2,threads=1', 'size=256M'])
    expect(plain.join(' ')).not.toContain('virtio-mem')
    const roomy = of([[], { vcpus: 2, ramMiB: 256, room: { vcpus: 8, ramMiB: 600 } }])
    // the additional 344 MiB require three blocks of 128 MiB
    expect(sizes(roomy)).toEqual(['cpus=2,maxcpus=8,sockets=1,cores=8,threads=1', 'size=256M,maxmem=640M'])
    expect(roomy.join(' ')).toContain('virtio-mem-pci')
  })

  test('restores vCPUs and memory that were added before a suspend', () => {
    const spec = specOf([], { vcpus: 1, ramMiB: 256, room: { vcpus: 4, ramMiB: 512 } })
    const restored = { waitForMemory: true, grown: { vcpus: 2, ramMiB: 128 } }
    const devices = values(machineArguments(spec, {}, choice, restored), '-device').join(' ')
    expect(devices).toMatch(/"core-id":1.*"core-id":2/)
    expect(devices).not.toContain('"core-id":3')
    expect(devices).toContain('requested-size=128M')
  })

  test('assigns each disk and interface a separate slot', () => {
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

  test('keeps slots when devices are attached and detached', () => {
    const [a, b, c] = [diskOf('/a'), diskOf('/b'), diskOf('/c')]
    const before = placed({ disks: [a, b], nics: [] }, {})
    const after = placed({ disks: [b, c], nics: [] }, before)
    expect(after[`disk-${b.id}`]).toBe(before[`disk-${b.id}`])
    expect(after[`disk-${c.id}`]).toBe(before[`disk-${a.id}`])
  })

  test('refuses more disks than there are slots', () => {
    const disks = Array.from({ length: 25 }, () => diskOf('/a'))
    expect(() => of([disks])).toThrow('cannot have another disk')
  })

  test('refuses UEFI if no firmware is installed', () => {
    expect(() => of([[], { firmware: 'uefi' }])).toThrow('UEFI')
  })
})

describe('the user-mode network of an interface', () => {
  test('offers the guest its address and uses others for gateway and DNS', () => {
    expect(userNetwork(nicOf({ address: '10.5.0.1', cidr: '10.5.0.0/24' }), true)).toMatchObject({
      net: '10.5.0.0/24',
      dhcpstart: '10.5.0.1',
      host: '10.5.0.2',
      dns: '10.5.0.3',
    })
  })

  test('is restricted if the interface is not connected', () => {
    expect(userNetwork(nicOf({ connected: false }), true).restrict).toBe(true)
    expect(userNetwork(nicOf(), true).restrict).toBe(false)
  })

  test('chooses an address if none is given', () => {
    expect(userNetwork(nicOf({ address: null, cidr: '192.168.1.77/16' }), true)).toMatchObject({
      net: '192.168.0.0/16',
      dhcpstart: '192.168.0.10',
    })
  })

  test('widens a network that is too small for a gateway', () => {
    expect(userNetwork(nicOf({ address: '10.0.0.6', cidr: '10.0.0.4/30' }), true)).toMatchObject({
      net: '10.0.0.0/29',
      dhcpstart: '10.0.0.6',
    })
  })

  test('refuses an address outside the network, and invalid ranges', () => {
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
