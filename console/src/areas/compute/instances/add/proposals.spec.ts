import type { CountedQuotas } from '@mainstay/contract/all-quotas'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import type { SshKey } from '@mainstay/contract/compute/ssh-keys'
import { MiB } from '@mainstay/contract/core/bytes'
import { expect, test } from 'vitest'
import type { Boot } from './instance-form'
import { isSignInImpossible, proposedFlavor } from './proposals'

const flavors = [
  { id: 'large', vcpus: 4, ram: 8192 },
  { id: 'nano', vcpus: 1, ram: 128 },
  { id: 'small', vcpus: 1, ram: 2048 },
  { id: 'medium', vcpus: 2, ram: 4096 },
] as Flavor[]
const linux = { min_ram: 0, os_type: 'linux', os_distro: 'debian13', username: 'debian', allow_set_password: false }
const image = (change: Partial<Image> = {}): Boot => ({ from: 'image', image: { ...linux, ...change } as Image })
const quotas = (ram: number, vcpus = -1) => {
  const room = { limit: vcpus, used: 0 }
  return { ram: { limit: ram, used: 0 }, vcpus: room } as CountedQuotas
}
const proposed = (boot: Boot | null, left?: CountedQuotas) => proposedFlavor(flavors, boot, left)?.id

test('proposes the smallest flavor with the required memory, by default 2 GiB for Linux and 4 GiB for Windows', () => {
  expect(proposed(image())).toBe('small')
  expect(proposed(image({ min_ram: 96 }))).toBe('nano')
  expect(proposed(image({ min_ram: 3000 }))).toBe('medium')
  expect(proposed(image({ os_type: 'windows' }))).toBe('medium')
  expect(proposed({ ...image(), from: 'iso' } as Boot)).toBe('small')
  expect(proposed(null)).toBe('nano')
})

test('proposes the largest flavor that a tight quota allows and that has the minimum memory, or none', () => {
  expect(proposed(image(), quotas(1024 * MiB))).toBe('nano')
  expect(proposed(image({ min_ram: 512 }), quotas(1024 * MiB))).toBeUndefined()
  expect(proposed(image({ os_type: 'windows' }), quotas(-1, 1))).toBe('small')
})

test('warns if the image accepts keys and has no password, but neither a key nor a script is set', () => {
  const form = { boot: image(), key: null, script: '' }
  expect(isSignInImpossible(form)).toBe(true)
  expect(isSignInImpossible({ ...form, key: { id: 'k' } as SshKey })).toBe(false)
  expect(isSignInImpossible({ ...form, script: '#cloud-config' })).toBe(false)
  expect(isSignInImpossible({ ...form, boot: image({ allow_set_password: true }) })).toBe(false)
  expect(isSignInImpossible({ ...form, boot: image({ username: null }) })).toBe(true)
  expect(isSignInImpossible({ ...form, boot: image({ username: null, os_distro: 'linux' }) })).toBe(false)
  expect(isSignInImpossible({ ...form, boot: image({ username: null, os_distro: 'win11', os_type: 'windows' }) })).toBe(
    false,
  )
  expect(isSignInImpossible({ ...form, boot: { ...image(), from: 'iso' } as Boot })).toBe(false)
  expect(isSignInImpossible({ ...form, boot: null })).toBe(false)
})
