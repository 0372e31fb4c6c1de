import { englishText } from '@mainstay/contract/core/english'
import { quotaNames, type CountedQuotas } from '@mainstay/contract/all-quotas'
import { InstanceDraft } from '@mainstay/contract/compute/instances'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { beforeAll, expect, test } from 'vitest'
import { loadTexts, textsNow } from '../../../../i18n/use-t'
import { costOf, exceeded } from './instance-cost'
import {
  bootBytes,
  instanceDraftOf,
  emptyInstanceForm,
  formField,
  instanceForm,
  type InstanceForm,
} from './instance-form'
import { encodeScript, maxScriptBytes, scriptKind } from './script-text'

beforeAll(() => loadTexts('instance'))

const image = { id: 'image-1', name: 'Debian', min_disk: 4, min_ram: 512, virtual_size: 5.5 * GiB } as Image
const flavor = { id: 'flavor-1', name: 'small', vcpus: 2, ram: 1024 } as Flavor
const network = { id: 'network-1', name: 'private' } as Network
const volume = { id: 'volume-1', name: 'data', size: 8 * GiB } as Volume

const filled: InstanceForm = {
  ...emptyInstanceForm,
  name: 'web',
  boot: { from: 'image', image },
  flavor,
  networks: [{ network, address: '', mac: '' }],
}
const faults = (form: InstanceForm) =>
  Object.fromEntries(
    (instanceForm(textsNow('instance')).safeParse(form).error?.issues ?? []).map(({ path, message }) => [
      path.join('.'),
      englishText(message),
    ]),
  )

test('converts a valid form to a draft that the contract accepts', () => {
  expect(faults(filled)).toEqual({})
  expect(InstanceDraft.safeParse(instanceDraftOf(filled)).success).toBe(true)
})

test("derives the boot volume's size from the image, rounded up to whole GiB, unless the user sets one", () => {
  expect(bootBytes(filled)).toBe(6 * GiB)
  expect(bootBytes({ ...filled, boot_size: 40 * GiB })).toBe(40 * GiB)
  expect(faults({ ...filled, boot_size: 5 * GiB })).toEqual({ boot_size: 'The image needs at least 6 GiB' })
})

test('boots from an ISO, with an empty second volume to install to', () => {
  const draft = instanceDraftOf({ ...filled, boot: { from: 'iso', image } })
  expect(draft.volumes).toEqual([
    { source: 'iso', id: 'image-1', boot_index: 0 },
    { source: 'blank', size: 20 * GiB, boot_index: 1, rm: true },
  ])
  expect(InstanceDraft.safeParse(draft).success).toBe(true)
})

test('boots from an existing volume without creating a new one', () => {
  const form: InstanceForm = { ...filled, boot: { from: 'volume', volume }, boot_rm: false }
  expect(instanceDraftOf(form).volumes).toEqual([{ source: 'volume', id: 'volume-1', boot_index: 0, rm: false }])
  expect(costOf(form)).toMatchObject({ volumes: 0, storage: 0 })
})

test('reports each missing value on its own row', () => {
  const { flavor: noFlavor, ...rest } = faults({ ...filled, boot: null, flavor: null, name: 'w' })
  expect(noFlavor).toBe('Choose a flavor')
  expect(rest).toEqual({ name: 'Use at least 2 characters', boot: 'Choose what to boot from' })
  expect(faults({ ...filled, networks: [] })).toEqual({ networks: 'Choose a network, or “No network”' })
  expect(faults({ ...filled, networks: [], no_network: true })).toEqual({})
})

test('validates the name, each field, and combinations of fields in the wizard [VA-065]', () => {
  // validates the name
  expect(faults({ ...filled, name: 'w' })).toEqual({ name: 'Use at least 2 characters' })
  expect(faults({ ...filled, name: '9lives' })).toEqual({ name: 'Start with a letter' })
  // validates individual fields
  const alone = { description: 'd'.repeat(256), count: 0, tags: ['a/b'], boot_size: 6.5 * GiB }
  expect(Object.keys(faults({ ...filled, ...alone }))).toEqual(
    expect.arrayContaining(['description', 'count', 'tags.0', 'boot_size']),
  )
  // validates combinations of fields
  expect(faults({ ...filled, flavor: { ...flavor, ram: 256 } })).toHaveProperty('flavor')
  expect(faults({ ...filled, count: 2, volumes: [{ source: 'volume', volume, rm: false }] })).toHaveProperty('count')
  expect(faults({ ...filled, networks: [] })).toHaveProperty('networks')
})

test('refuses a flavor with less memory than the image requires', () => {
  expect(faults({ ...filled, flavor: { ...flavor, ram: 256 } })).toHaveProperty('flavor')
})

test('refuses several instances that would share a volume or a fixed address', () => {
  const many = { ...filled, count: 3 }
  expect(faults({ ...many, volumes: [{ source: 'volume', volume, rm: false }] })).toHaveProperty('count')
  expect(faults({ ...many, networks: [{ network, address: '10.0.0.5', mac: '' }] })).toHaveProperty('count')
  expect(faults({ ...filled, count: 21 })).toEqual({ count: 'Create at most 20 at a time' })
})

test('reports an invalid address on its interface', () => {
  const cards = [
    { network, address: '', mac: '' },
    { network, address: '10.0.0', mac: 'ff:ff' },
  ]
  expect(Object.keys(faults({ ...filled, networks: cards }))).toEqual(['networks.1.address', 'networks.1.mac'])
})

test('accepts only a valid MAC address for an interface, and reports errors on that field [VA-033]', () => {
  const fault = (mac: string) => faults({ ...filled, networks: [{ network, address: '', mac }] })['networks.0.mac']
  for (const mac of ['52:54:00:12:34:56', '52:54:00:AB:cd:0F', '']) expect(fault(mac)).toBeUndefined()
  const usual = 'Enter six pairs of hexadecimal digits, such as 52:54:00:12:34:56'
  for (const mac of [
    '52:54:00:12:34',
    '52:54:00:12:34:5g',
    '52-54-00-12-34-56',
    '525400123456',
    '52:54:00:12:34:56:78',
  ])
    expect(fault(mac)).toBe(usual)
  expect(fault('53:54:00:12:34:56')).toMatch(/multicast/)
})

test('sends no networks if “No network” is selected, even if a network was chosen before', () => {
  expect(instanceDraftOf({ ...filled, no_network: true }).networks).toEqual([])
})

test("maps the server's field errors to form fields", () => {
  const of = (path: string, boot = filled.boot) => formField(path, { boot })
  expect(of('volumes.0.size')).toBe('boot_size')
  expect(of('volumes.0.id')).toBe('boot')
  expect(of('volumes.1.id')).toBe('volumes')
  expect(of('volumes.1.size', { from: 'iso', image })).toBe('boot_size')
  expect(of('networks.1.fixed_ips.0.ip_address')).toBe('networks.1.address')
  expect(of('networks.0.mac')).toBe('networks.0.mac')
  expect(of('key_name')).toBe('key')
  expect(of('user_data')).toBe('script')
  expect(of('name')).toBe('name')
})

test('multiplies the quota usage by the number of instances, and lists the exceeded quotas', () => {
  const cost = costOf({ ...filled, count: 3, volumes: [{ source: 'blank', size: 10 * GiB, rm: true }] })
  expect(cost).toEqual({ instances: 3, vcpus: 6, ram: 3072 * MiB, volumes: 6, storage: 48 * GiB })
  const room = { limit: 5, used: 0 }
  const quotas = {
    ...(Object.fromEntries(quotaNames.map((name) => [name, room])) as CountedQuotas),
    ram: { limit: -1, used: 9 },
    storage: { limit: 48 * GiB, used: 0 },
  }
  expect(exceeded(cost, quotas)).toEqual(['vcpus', 'volumes'])
  expect(exceeded(cost, undefined)).toEqual([])
})

test('encodes a script as base64 of its UTF-8 bytes, and limits it to 48 KiB', () => {
  expect(
    new TextDecoder().decode(Uint8Array.from(atob(encodeScript('#!/bin/sh\r\necho ü')), (it) => it.charCodeAt(0))),
  ).toBe('#!/bin/sh\necho ü')
  expect(faults({ ...filled, script: 'x'.repeat(maxScriptBytes) })).toEqual({})
  expect(faults({ ...filled, script: 'x'.repeat(maxScriptBytes + 1) })).toEqual({
    script: 'The script is too long. Use at most 48 KiB',
  })
})

test('detects the type of a script from its first line', () => {
  expect(['', '#!/bin/sh', '#cloud-config\npackages: []', 'echo'].map(scriptKind)).toEqual([
    'none',
    'script',
    'cloud-config',
    'unknown',
  ])
})
